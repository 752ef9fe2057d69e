public import ATSPolicy
import Text

/// An ATS dictionary as a property list in XML, tabs and all as Xcode writes it.
public enum PropertyListText {
    /// A whole file: `NSAppTransportSecurity` alone, ready for `--policy`, or to be pasted into an Info.plist.
    ///
    /// - Parameter comments: stand in front of it.
    public static func document(_ members: [PropertyMember], comments: [String] = []) -> String {
        let root = PropertyMember(key: ATSKey.root, node: PropertyNode(.dictionary(members)))
        var lines = lines(.dictionary([root]), depth: 0)
        lines.insert(contentsOf: comments.map(comment), at: 1)
        let body = lines.joined(separator: "\n")
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            \(body)
            </plist>

            """
    }

    /// One entry of `NSExceptionDomains`, ready to be pasted under it.
    public static func entry(_ fix: ExceptionFix) -> String {
        let keys = fix.settings.map { PropertyMember(setting: $0) }
        let text = ["<key>\(XMLText.escaped(fix.domain.printable))</key>"] + lines(.dictionary(keys), depth: 0)
        return text.joined(separator: "\n")
    }

    /// A value alone.
    public static func fragment(_ node: PropertyNode) -> String {
        lines(node.value, depth: 0).joined(separator: "\n")
    }

    /// Nothing is escaped in a comment, and two hyphens would end it: XML 1.0 section 2.5.
    private static func comment(_ text: String) -> String {
        // The second time finds what stands at the end of an odd number of them.
        let text = text.printable.replacing("--", with: "- -").replacing("--", with: "- -")
        return "\t<!-- \(text) -->"
    }

    private static func lines(_ value: PropertyValue, depth: Int) -> [String] {
        let indent = String(repeating: "\t", count: depth)
        func element(_ name: String, _ text: String) -> [String] {
            ["\(indent)<\(name)>\(XMLText.escaped(text))</\(name)>"]
        }
        switch value {
        case .boolean(let flag): return [indent + (flag ? "<true/>" : "<false/>")]
        case .integer(let number): return element("integer", String(number))
        case .real(let number): return element("real", String(number))
        case .string(let text): return element("string", text)
        // No key of ATS holds one, so what it was does not matter.
        case .data, .date: return element("string", "")
        case .array(let nodes):
            guard !nodes.isEmpty else { return [indent + "<array/>"] }
            return [indent + "<array>"] + nodes.flatMap { lines($0.value, depth: depth + 1) } + [indent + "</array>"]
        case .dictionary(let members):
            guard !members.isEmpty else { return [indent + "<dict/>"] }
            let inner = members.flatMap { member in
                ["\(indent)\t<key>\(XMLText.escaped(member.key))</key>"] + lines(member.node.value, depth: depth + 1)
            }
            return [indent + "<dict>"] + inner + [indent + "</dict>"]
        }
    }
}

extension [PropertyMember] {
    /// By key, at every depth.
    var sorted: [PropertyMember] {
        sorted { $0.key < $1.key }.map { member in
            guard case .dictionary(let inner) = member.node.value else { return member }
            return PropertyMember(key: member.key, node: PropertyNode(.dictionary(inner.sorted)))
        }
    }
}

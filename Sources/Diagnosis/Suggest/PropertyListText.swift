public import ATSPolicy
import Text

/// An ATS dictionary as an XML property list, with tabs as Xcode writes it.
public enum PropertyListText {
    /// A whole file with `NSAppTransportSecurity` only, for `--policy` or to paste into an Info.plist.
    ///
    /// - Parameter comments: lines before the dictionary.
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

    /// One entry of `NSExceptionDomains`, to paste into it.
    public static func entry(_ fix: ExceptionFix) -> String {
        let keys = fix.settings.map { PropertyMember(setting: $0) }
        let text = ["<key>\(XMLText.escaped(fix.domain.printable))</key>"] + lines(.dictionary(keys), depth: 0)
        return text.joined(separator: "\n")
    }

    /// A value without a document around it.
    public static func fragment(_ node: PropertyNode) -> String {
        lines(node.value, depth: 0).joined(separator: "\n")
    }

    /// A comment has no escapes, and two hyphens would end it: XML 1.0 section 2.5.
    private static func comment(_ text: String) -> String {
        // The second pass finds the rest of an odd number of hyphens.
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
        // No ATS key has such a value, so the content does not matter.
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
    /// Sorted by key, at every depth.
    var sorted: [PropertyMember] {
        sorted { $0.key < $1.key }.map { member in
            guard case .dictionary(let inner) = member.node.value else { return member }
            return PropertyMember(key: member.key, node: PropertyNode(.dictionary(inner.sorted)))
        }
    }
}

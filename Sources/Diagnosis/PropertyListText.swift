public import ATSPolicy

/// An ATS dictionary as an XML property list, to be pasted or read back. Keys stay in their order.
public enum PropertyListText {
    /// A whole file whose root holds `NSAppTransportSecurity`.
    ///
    /// - Parameter comments: lines in front of the dictionary.
    public static func xml(of members: [PropertyMember], comments: [String] = []) -> String {
        let lines =
            [
                #"<?xml version="1.0" encoding="UTF-8"?>"#,
                #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#,
                #"<plist version="1.0">"#, "<dict>",
            ] + comments.map { margin(1) + "<!-- " + commentText($0) + " -->" } + [margin(1) + key(ATSKey.root)]
            + self.lines(of: .dictionary(members), depth: 1) + ["</dict>", "</plist>"]
        return lines.map { $0 + "\n" }.joined()
    }

    private static func lines(of value: PropertyValue, depth: Int) -> [String] {
        switch value {
        case .boolean(let flag): [margin(depth) + "<\(flag)/>"]
        case .integer(let number): [margin(depth) + "<integer>\(number)</integer>"]
        case .real(let number): [margin(depth) + "<real>\(number)</real>"]
        case .string(let text): [margin(depth) + "<string>\(XMLText.escaped(text))</string>"]
        // Neither has a meaning in an ATS dictionary.
        case .data, .date: [margin(depth) + "<string/>"]
        case .array(let nodes):
            [margin(depth) + "<array>"] + nodes.flatMap { lines(of: $0.value, depth: depth + 1) }
                + [margin(depth) + "</array>"]
        case .dictionary(let members) where members.isEmpty: [margin(depth) + "<dict/>"]
        case .dictionary(let members):
            [margin(depth) + "<dict>"]
                + members.flatMap { [margin(depth + 1) + key($0.key)] + lines(of: $0.node.value, depth: depth + 1) }
                + [margin(depth) + "</dict>"]
        }
    }

    private static func key(_ text: String) -> String { "<key>\(XMLText.escaped(text))</key>" }

    private static func margin(_ depth: Int) -> String { String(repeating: "\t", count: depth) }

    /// Two hyphens would end a comment: XML 1.0 section 2.5.
    private static func commentText(_ text: String) -> String {
        XMLText.escaped(text).replacing("--", with: "- -")
    }
}

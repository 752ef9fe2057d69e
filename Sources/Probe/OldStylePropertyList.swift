import ATSPolicy
import Text

/// Property lists as Foundation describes them, in the style of NeXTSTEP. Source: the output of nscurl, see
/// ``ProbeMatrix/listing(isVerbose:)``.
enum OldStylePropertyList {
    static func lines(of members: [PropertyMember]) -> [String] { ["{"] + inner(members, depth: 1) + ["}"] }

    private static func inner(_ members: [PropertyMember], depth: Int) -> [String] {
        let margin = String(repeating: "    ", count: depth)
        return members.sorted { $0.key < $1.key }.flatMap { member in
            let key = margin + quoted(member.key) + " = "
            guard case .dictionary(let nested) = member.node.value else { return [key + text(member.node.value) + ";"] }
            return [key + margin + "{"] + inner(nested, depth: depth + 1) + [margin + "};"]
        }
    }

    private static func text(_ value: PropertyValue) -> String {
        switch value {
        case .boolean(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .string(let text): quoted(text)
        case .data, .date, .array, .dictionary: ""
        }
    }

    private static func quoted(_ text: String) -> String {
        !text.isEmpty && text.utf8.allSatisfy(\.isAlphanumeric) ? text : "\"\(text)\""
    }
}

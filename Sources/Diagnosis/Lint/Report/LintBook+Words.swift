import ATSPolicy
import Text

extension LintBook {
    /// A table of all rules as text: severity, id and title, then source and confidence.
    public static var words: String {
        let width = all.map(\.id.count).max() ?? 0
        return all.map { rule in
            let severity = rule.severity.rawValue.padded(to: 7)
            let margin = String(repeating: " ", count: 9 + width + 2)
            return "\(severity)  \(rule.id.padded(to: width))  \(rule.title)\n"
                + "\(margin)\(References.shown(rule.source)) (\(rule.confidence.rawValue))\n"
        }.joined()
    }

    /// All rules as a JSON array, with their examples.
    public static var json: String {
        JSONValue.array(
            all.map { rule in
                .object([
                    ("id", .string(rule.id)),
                    ("severity", .string(rule.severity.rawValue)),
                    ("title", .string(rule.title)),
                    ("source", .string(rule.source)),
                    ("confidence", .string(rule.confidence.rawValue)),
                    ("found", .string(rule.example.found)),
                    ("silent", .string(rule.example.silent)),
                    ("app", .text(rule.example.app)),
                ])
            }
        ).text + "\n"
    }
}

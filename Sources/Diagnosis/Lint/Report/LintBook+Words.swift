import ATSPolicy

extension LintBook {
    /// A table of all rules for people: severity, id and title, then source and confidence.
    public static var words: String {
        let width = rules.map(\.id.count).max() ?? 0
        return rules.map { rule in
            let severity = rule.severity.rawValue.padded(to: 7)
            let margin = String(repeating: " ", count: 9 + width + 2)
            return "\(severity)  \(rule.id.padded(to: width))  \(rule.title)\n"
                + "\(margin)\(rule.source) (\(rule.confidence.rawValue))\n"
        }.joined()
    }

    /// The same as a JSON array, with the examples.
    public static var json: String {
        JSONOutput.list(
            rules.map { rule in
                JSONOutput.object([
                    ("id", JSONOutput.string(rule.id)),
                    ("severity", JSONOutput.string(rule.severity.rawValue)),
                    ("title", JSONOutput.string(rule.title)),
                    ("source", JSONOutput.string(rule.source)),
                    ("confidence", JSONOutput.string(rule.confidence.rawValue)),
                    ("found", JSONOutput.string(rule.example.found)),
                    ("silent", JSONOutput.string(rule.example.silent)),
                ])
            }) + "\n"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

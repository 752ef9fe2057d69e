import ATSPolicy

extension LintRule {
    /// One note for a file, with all keys that need a justification in App Store review. The sample texts are
    /// ours: drafts to complete, not published by Apple.
    static let justification = LintRule(
        "lint.justification", .note, title: "Keys that need a justification in App Store review",
        source: "Apple, Preventing Insecure Network Connections; docs/law/keys.md#app-store-review", .documented,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoads": true}"#, silent: #"{"NSAllowsLocalNetworking": true}"#)
    ) { subject in
        let questions = subject.questions
        guard let first = questions.first else { return [] }
        let asked = questions.map { $0.hosts.isEmpty ? $0.key : "\($0.key) for \($0.hosts.listed)" }
        let samples = subject.showsJustifications ? questions.map { "; draft for \($0.key): \($0.sample)" } : []
        return [
            LintMark(
                first.place,
                "App Store review requires a justification for: \(asked.joined(separator: "; "))" + samples.joined())
        ]
    }
}

import ATSPolicy

extension LintRule {
    /// Keys that the App Store asks a justification for: one note for a file. What another finding says to delete is
    /// not asked about. The sample texts are ours: frames to fill in, nothing that Apple has published.
    static let justification = LintRule(
        "lint.justification", .note, title: "The App Store asks for a justification of what is allowed",
        source: "Apple, Preventing Insecure Network Connections; docs/law/keys.md#app-store-review", .documented,
        example: LintExample(
            found: #"{"NSAllowsArbitraryLoads": true}"#, silent: #"{"NSAllowsLocalNetworking": true}"#)
    ) { subject in
        let questions = subject.questions
        guard let first = questions.first else { return [] }
        let asked = questions.map { $0.hosts.isEmpty ? $0.key : "\($0.key) for \($0.hosts.listed)" }
        let samples = subject.showsJustifications ? questions.map { "; for \($0.key), for example: \($0.sample)" } : []
        return [
            LintMark(
                first.place, "the App Store asks why: \(asked.joined(separator: "; "))" + samples.joined())
        ]
    }
}

public import Text

extension JudgementRules {
    /// Compares a SARIF result with the baseline; nil without one.
    public func comparison(_ judgement: Judgement, host: String, rule: String?) -> SARIFDocument.Baseline? {
        guard let file = baselineFile else { return nil }
        if judgement == .known { return .suppressed("known: \(file)") }
        return knows(host: host, rule: rule) ? .unchanged : .new
    }
}

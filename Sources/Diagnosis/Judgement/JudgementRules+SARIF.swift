public import Text

extension JudgementRules {
    /// How a result of SARIF compares with the baseline; nil without one.
    public func comparison(_ judgement: Judgement, host: String, rule: String?) -> SARIFDocument.Baseline? {
        guard let file = baselineFile else { return nil }
        if judgement == .known { return .suppressed("known: \(file)") }
        return knows(host: host, rule: rule) ? .unchanged : .new
    }
}

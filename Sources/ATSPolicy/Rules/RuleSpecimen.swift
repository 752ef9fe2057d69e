/// A rule as a report shows it: the finding for the first of its own examples that breaks it.
public struct RuleSpecimen: Sendable {
    public let finding: Finding
    public let remedy: Remedy?

    init(finding: Finding, remedy: Remedy?) {
        self.finding = finding
        self.remedy = remedy
    }

    /// The rule without a handshake, ``RuleID/cleartextLoad``; nil for a verdict without a finding.
    public init?(_ denial: Denial, on profile: OSProfile) {
        let verdict = RuleBook.standard.judge(denial, profile: profile)
        guard let finding = verdict.findings.first else { return nil }
        self.init(finding: finding, remedy: verdict.remedy)
    }
}

extension Rule {
    /// nil for a rule without a failing example.
    public var specimen: RuleSpecimen? {
        for example in examples where example.expected == .fail {
            let verdict = RuleBook(rules: [self]).judge(example.handshake)
            guard var finding = verdict.findings.first else { continue }
            let day = CalendarDay.text(example.handshake.now)
            finding.expected = finding.expected.replacing("on \(day)", with: "on the day of the load")
            return RuleSpecimen(finding: finding, remedy: verdict.remedy)
        }
        return nil
    }
}

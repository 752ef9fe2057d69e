/// One rule on handshakes: its check, the releases that have it, its source, and examples that prove it.
public struct Rule: Sendable {
    public let id: RuleID
    public let title: String
    /// The place where the rule is documented.
    public let source: String
    public let confidence: Confidence
    /// True if a release has this rule.
    public private(set) var isInForce: @Sendable (OSProfile) -> Bool = { _ in true }
    /// True if a warning is a finding of a load that passes.
    private(set) var reportsWarnings = false
    /// Judges a handshake on a release that has the rule.
    public let check: @Sendable (HandshakeCase) -> RuleAnswer
    /// The plist key that decided, or that would change the answer; nil if no key can.
    let keyPath: @Sendable (HandshakeCase) -> String?
    /// The effects of a breach.
    public let consequence: Consequence
    private let makeExamples: @Sendable () -> [RuleExample]

    init(
        _ id: RuleID, _ title: String, source: String, confidence: Confidence,
        keyPath: @escaping @Sendable (HandshakeCase) -> String? = { _ in nil },
        consequence: Consequence,
        check: @escaping @Sendable (HandshakeCase) -> RuleAnswer,
        examples: @escaping @Sendable () -> [RuleExample]
    ) {
        self.id = id
        self.title = title
        self.source = source
        self.confidence = confidence
        self.check = check
        self.keyPath = keyPath
        self.consequence = consequence
        makeExamples = examples
    }

    /// Returns the rule, restricted to some releases.
    func inForce(on isKnown: @escaping @Sendable (OSProfile) -> Bool) -> Rule {
        var rule = self
        rule.isInForce = isKnown
        return rule
    }

    /// Returns the rule, with its warnings reported.
    func reportingWarnings() -> Rule {
        var rule = self
        rule.reportsWarnings = true
        return rule
    }

    /// Cases below, at and above the rule's limits, and cases that it does not cover. Built on each call.
    public var examples: [RuleExample] { makeExamples() }

    /// Returns the rule's answer; takes into account whether the release has the rule.
    public func answer(on handshake: HandshakeCase) -> RuleAnswer {
        guard isInForce(handshake.profile) else { return .notInForce }
        if handshake.demands?.acceptsAnyCertificate == true, id.category == .trust { return .notInForce }
        return check(handshake)
    }

    /// Returns a failing answer as a finding.
    func finding(on handshake: HandshakeCase, expected: String, observed: String) -> Finding {
        Finding(
            rule: id, title: title, keyPath: keyPath(handshake), expected: expected, observed: observed,
            confidence: confidence, source: source)
    }
}

/// The answer of a rule to one handshake.
public enum RuleAnswer: Sendable, Hashable {
    case pass
    case fail(expected: String, observed: String)
    /// Looks wrong, but cannot be proven with the known facts; never stops a load. A finding only if the rule reports
    /// its warnings.
    case warn(expected: String, observed: String)
    /// The rule applies to this load, but its subject does not occur in it, or another rule decides.
    case notApplicable
    /// The rule does not apply to this load: another release, or nothing requires it.
    case notInForce

    public var outcome: RuleOutcome {
        switch self {
        case .pass: .pass
        case .fail: .fail
        case .warn: .warn
        case .notApplicable: .notApplicable
        case .notInForce: .notInForce
        }
    }
}

/// A ``RuleAnswer`` without its text.
public enum RuleOutcome: Sendable, Hashable {
    case pass, fail, warn, notApplicable, notInForce
}

/// A handshake and the answer that a rule must give to it. Runs as a test.
public struct RuleExample: Sendable {
    public let title: String
    public let handshake: HandshakeCase
    public let expected: RuleOutcome

    /// - Parameter change: turns a handshake that breaks no rule into the example.
    init(_ title: String, _ expected: RuleOutcome, _ change: (inout HandshakeCase) -> Void = { _ in }) {
        self.title = title
        self.expected = expected
        var handshake = HandshakeCase.sample
        change(&handshake)
        self.handshake = handshake
    }
}

/// A rule as a report shows it: the finding for the first of its own examples that breaks it.
public struct RuleSpecimen: Sendable {
    public let finding: Finding
    public let remedy: Remedy?
}

extension RuleSpecimen {
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

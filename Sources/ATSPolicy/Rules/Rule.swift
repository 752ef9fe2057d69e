/// One rule on handshakes: what it asks, since when, who says so, and examples that prove it.
public struct Rule: Sendable {
    public let id: RuleID
    public let title: String
    /// Where the rule is written down.
    public let source: String
    public let confidence: Confidence
    /// Whether an OS generation knows this rule at all.
    public private(set) var isInForce: @Sendable (OSProfile) -> Bool = { _ in true }
    /// Judges a handshake on a system where the rule is in force.
    public let check: @Sendable (HandshakeCase) -> RuleAnswer
    /// The plist key that decided or that would change the answer; nil when no key can.
    let keyPath: @Sendable (HandshakeCase) -> String?
    /// What follows from a breach.
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

    /// The same, known to some generations alone.
    func inForce(on isKnown: @escaping @Sendable (OSProfile) -> Bool) -> Rule {
        var rule = self
        rule.isInForce = isKnown
        return rule
    }

    /// Cases under, at and over the rule's edge, and cases that it does not govern. Made anew on each call.
    public var examples: [RuleExample] { makeExamples() }

    /// The rule's answer, its in-force range included.
    public func answer(on handshake: HandshakeCase) -> RuleAnswer {
        guard isInForce(handshake.profile) else { return .notInForce }
        if handshake.demands?.acceptsAnyCertificate == true, id.category == .trust { return .notInForce }
        return check(handshake)
    }

    /// Words a failing answer as a complaint.
    func finding(on handshake: HandshakeCase, expected: String, observed: String) -> Finding {
        Finding(
            rule: id, title: title, keyPath: keyPath(handshake), expected: expected, observed: observed,
            confidence: confidence, source: source)
    }
}

/// What a rule says about one handshake.
public enum RuleAnswer: Sendable, Hashable {
    case pass
    case fail(expected: String, observed: String)
    /// Looks wrong, but cannot be proven with what is known here; never stops a load and is no finding.
    case warn(expected: String, observed: String)
    /// The rule governs this load, but what it is about does not occur in it, or another rule speaks for it.
    case notApplicable
    /// The rule does not govern this load: wrong OS generation, or nothing demands it.
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

/// A ``RuleAnswer`` without its words.
public enum RuleOutcome: Sendable, Hashable {
    case pass, fail, warn, notApplicable, notInForce
}

/// A handshake with the answer that a rule must give on it. Runs as a test.
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

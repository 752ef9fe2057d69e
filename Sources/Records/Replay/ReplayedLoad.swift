public import ATSPolicy

/// How a load would have ended under another law. Raw values are stored and shown.
public enum ReplayVerdict: String, Sendable, Hashable, CaseIterable {
    case allowed, blocked, failed, outside
    /// The origin would have been offered something else, and what it makes of that is not known.
    case undecidable
}

/// A load, judged again.
public struct ReplayedLoad: Sendable, Hashable {
    public let verdict: ReplayVerdict
    /// The deciding rule; nil for a plain pass.
    public let rule: RuleID?
    /// What served the host.
    public let basis: RulingBasis
    /// What the law says about it; nil where it says nothing, or was not asked.
    public let law: HandshakeVerdict?
    /// Why nobody knows; nil where somebody does.
    public let why: String?

    init(
        _ verdict: ReplayVerdict, _ rule: RuleID? = nil, basis: RulingBasis, law: HandshakeVerdict? = nil,
        why: String? = nil
    ) {
        self.verdict = verdict
        self.rule = rule
        self.basis = basis
        self.law = law
        self.why = why
    }
}

extension Verdict {
    /// The same without how it was shown: what audit mode let pass was blocked by the law all the same.
    public var replayed: ReplayVerdict {
        switch self {
        case .allowed: .allowed
        case .blocked, .wouldBlock: .blocked
        case .failed: .failed
        case .outside: .outside
        }
    }
}

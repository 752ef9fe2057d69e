public import ATSPolicy

/// How a load would have ended under another dictionary or release. Raw values are stored and shown.
public enum ReplayVerdict: String, Sendable, Hashable, CaseIterable {
    case allowed, blocked, failed, outside
    /// The origin would have received another offer, and its answer is unknown.
    case undecidable
}

/// A load that was judged again.
public struct ReplayedLoad: Sendable, Hashable {
    public let verdict: ReplayVerdict
    /// The deciding rule; nil if it was allowed without a finding.
    public let rule: RuleID?
    /// The key or default that applied to the host.
    public let basis: RulingBasis
    /// The verdict of the rules; nil if they have none, or were not applied.
    public let law: HandshakeVerdict?
    /// The reason why the result is unknown; nil if it is known.
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
    /// The verdict that a replay compares with. A load that audit mode let through counts as blocked.
    public var replayed: ReplayVerdict {
        switch self {
        case .allowed: .allowed
        case .blocked, .wouldBlock: .blocked
        case .failed: .failed
        case .outside: .outside
        }
    }
}

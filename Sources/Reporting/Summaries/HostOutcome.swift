import ATSPolicy
public import Records

/// Loads of one host that ended in the same way by the same rule.
public struct HostOutcome: Sendable, Hashable {
    public let host: String
    /// The deciding rule; nil where none is told.
    public let rule: String?
    public let verdict: Verdict
    public let loads: Int

    public init(host: String, rule: String?, verdict: Verdict, loads: Int) {
        self.host = host
        self.rule = rule
        self.verdict = verdict
        self.loads = loads
    }

    /// They broke in the origin's TLS, which no device could use either; `atsgate probe` says `fail`.
    var failsOnDevice: Bool { verdict == .failed && rule.flatMap(RuleCategory.init(ofRule:)) == .tls }

    /// A device refuses them, whether or not they were let pass.
    public var isViolation: Bool { verdict == .blocked || verdict == .wouldBlock }
}

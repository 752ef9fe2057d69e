import Diagnosis
public import Records

/// Loads of one host with the same verdict and rule.
public struct HostOutcome: Sendable, Hashable {
    public let host: String
    /// The deciding rule; nil if there is none.
    public let rule: String?
    public let verdict: Verdict
    public let loads: Int

    public init(host: String, rule: String?, verdict: Verdict, loads: Int) {
        self.host = host
        self.rule = rule
        self.verdict = verdict
        self.loads = loads
    }

    /// True if the loads failed in the origin's TLS, and so would on any device; `atsgate probe` also reports `failed`.
    var failsOnDevice: Bool { verdict == .failed && FailOn.failsOnDevice(rule) }

    /// True if a device would block them, whether or not the gate did.
    public var isViolation: Bool { verdict == .blocked || verdict == .wouldBlock }
}

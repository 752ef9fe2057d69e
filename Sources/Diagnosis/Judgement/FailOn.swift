import ATSPolicy
public import Records

/// The loads that make a command exit with 1. Raw values are those of `--fail-on`.
public enum FailOn: String, Sendable, Hashable, CaseIterable {
    /// Loads that a device of the emulated release could not make because of ATS, trust or TLS, whether or not the gate
    /// let them pass.
    case refused
    /// Those that ATS or the system's trust rules block.
    case blocked
    /// Those that were refused, and loads that failed for another reason: the network, the server, the client.
    case any
    case none

    /// - Parameter rule: the rule that decided; nil if there is none.
    public func counts(_ verdict: Verdict, rule: String?) -> Bool {
        switch verdict {
        case .blocked, .wouldBlock: self != .none
        case .failed: self == .any || (self == .refused && Self.failsOnDevice(rule))
        case .allowed, .outside: false
        }
    }

    /// True if a load that failed by that rule did so in the TLS of its server: a device fails, too
    /// (docs/verdicts.md#verdicts). Only imported loads fail by a rule of trust.
    public static func failsOnDevice(_ rule: String?) -> Bool {
        let category = rule.flatMap(RuleCategory.init(ofRule:))
        return category == .tls || category == .trust
    }
}

extension [Verdict: Int] {
    /// The number of loads that a device blocks.
    public var blocked: Int { self[.blocked, default: 0] + self[.wouldBlock, default: 0] }
}

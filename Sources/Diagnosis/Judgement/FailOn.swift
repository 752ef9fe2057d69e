public import Records

/// The loads that make a command exit with 1. Raw values are those of `--fail-on`.
public enum FailOn: String, Sendable, Hashable, CaseIterable {
    /// Loads that a device blocks, whether or not the gate let them pass.
    case blocked
    /// Blocked loads, and loads that failed on the network or at the server.
    case failed
    case none

    public func counts(_ verdict: Verdict) -> Bool {
        switch verdict {
        case .blocked, .wouldBlock: self != .none
        case .failed: self == .failed
        case .allowed, .outside: false
        }
    }

    /// The number of loads that count.
    public func count(in verdicts: [Verdict: Int]) -> Int {
        verdicts.reduce(0) { $0 + (counts($1.key) ? $1.value : 0) }
    }
}

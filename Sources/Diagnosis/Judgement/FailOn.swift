public import Records

/// Which loads make a command end with 1. Raw values are what `--fail-on` takes.
public enum FailOn: String, Sendable, Hashable, CaseIterable {
    /// What a device refuses, whether or not it was let pass.
    case blocked
    /// The same, and what broke on the network or at its server.
    case failed
    case none

    public func counts(_ verdict: Verdict) -> Bool {
        switch verdict {
        case .blocked, .wouldBlock: self != .none
        case .failed: self == .failed
        case .allowed, .outside: false
        }
    }

    /// How many of them there are.
    public func count(in verdicts: [Verdict: Int]) -> Int {
        verdicts.reduce(0) { $0 + (counts($1.key) ? $1.value : 0) }
    }
}

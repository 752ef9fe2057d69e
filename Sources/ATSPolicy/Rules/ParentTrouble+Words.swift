import Text

extension ParentTrouble {
    /// The failure as a verb phrase that follows the proxy's name.
    var words: String {
        switch self {
        case .name(let code): "could not be resolved: \(SystemWords.resolver(code))"
        case .refused: "refused the connection"
        case .timeout: "did not answer in time"
        case .reset(let errno): "was reset or unreachable: \(SystemWords.error(errno))"
        case .answered(407): "answered 407: credentials are missing or wrong"
        case .answered(let status): "answered \(status)"
        case .gaveNoAnswer: "did not answer with HTTP"
        }
    }
}

extension LoadFailure {
    /// True if a device has no error for the failure: it is of the gate, or of a proxy that the gate uses.
    public var isGateFailure: Bool {
        if case .network(let failure) = self { failure.isGateFailure } else { false }
    }
}

extension NetworkFailure {
    /// True if the failure is in the gate or between the gate and its parent proxy, not between a device and its
    /// origin.
    var isGateFailure: Bool {
        switch self {
        case .noDescriptors, .ownAddress, .forbidden, .parent, .decrypted: true
        case .name, .refused, .timeout, .reset: false
        }
    }
}

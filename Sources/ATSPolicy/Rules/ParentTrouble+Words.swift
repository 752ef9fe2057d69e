import Text

extension ParentTrouble {
    /// What it did, to follow its name.
    var words: String {
        switch self {
        case .name(let code): "could not be resolved: \(SystemWords.resolver(code))"
        case .refused: "refused the connection"
        case .timeout: "did not answer in time"
        case .reset(let errno): "was reset or unreachable: \(SystemWords.error(errno))"
        case .answered(407): "answered 407: it wants credentials, or other ones"
        case .answered(let status): "answered \(status)"
        case .gaveNoAnswer: "gave no answer in HTTP"
        }
    }
}

extension NetworkFailure {
    /// It happened in the gate or behind it, not between a device and its origin.
    var isOurOwn: Bool {
        switch self {
        case .noDescriptors, .ownAddress, .forbidden, .parent: true
        case .name, .refused, .timeout, .reset: false
        }
    }
}

/// Why a set-up was not made; what had been changed is put back.
public enum SetupFailure: Error, Sendable, Hashable {
    /// A command of the system failed.
    case command([String], reason: String)
    /// No network service carries the default route.
    case noService
    case unknownService(String, known: [String])
    /// The service has a proxy with a password, which could not be put back.
    case passwordProxy(service: String)
    /// No simulator is meant by that word.
    case noSimulator(String)
    /// The journal can not be read or written.
    case journal(path: String, reason: String)

    public var sentence: String {
        switch self {
        case .command(let command, let reason): "\(command.joined(separator: " ")) failed: \(reason)"
        case .noService: "no network service carries the default route; name one with --service"
        case .unknownService(let name, let known):
            "there is no network service \(name); there are \(known.joined(separator: ", "))"
        case .passwordProxy(let service):
            "\(service) has a proxy with a password, which could not be put back; choose another --service"
        case .noSimulator(let word):
            word == "booted"
                ? "no simulator is booted; boot one, or say all or a UDID" : "there is no simulator \(word)"
        case .journal(let path, let reason): "the journal \(path) can not be used: \(reason)"
        }
    }
}

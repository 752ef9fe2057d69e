internal import Text

/// The reason why a setup failed; changes that it had made are undone.
public enum SetupFailure: Error, Sendable, Hashable {
    /// A command of the system failed.
    case command([String], reason: String)
    /// No network service carries the default route.
    case noService
    case unknownService(String, known: [String])
    /// The service has a proxy with a password, which could not be restored.
    case passwordProxy(service: String)
    /// No simulator matches the word.
    case noSimulator(String)
    /// macOS confirms changes of trusted certificates in a window, which this session cannot show.
    case noWindow
    /// A program of the system is missing; `package` is its name in Debian.
    case missing(String, package: String)
    /// The operation requires root.
    case rights
    case unknownInterface(String, known: [String])
    /// A table of packet rules has atsgate's name, but rules that atsgate did not create.
    case foreignTable(String)
    /// An interface of that name exists, and atsgate did not create it.
    case foreignInterface(String)
    /// Keys cannot be read or written, or others can read them.
    case keys(path: String, reason: String)
    /// The journal cannot be read or written.
    case journal(path: String, reason: String)

    public var sentence: String {
        switch self {
        case .command(let command, let reason): "\(command.joined(separator: " ")) failed: \(reason)"
        case .noService: "no network service carries the default route; name one with --service"
        case .unknownService(let name, let known):
            "unknown network service \(name); available: \(known.joined(separator: ", "))"
        case .passwordProxy(let service):
            "\(service) has a proxy with a password, which could not be restored; choose another --service"
        case .noSimulator(let word):
            word == "booted"
                ? "no simulator is booted; boot one, or use all or a UDID" : "unknown simulator \(word)"
        case .noWindow:
            "macOS confirms changes of trusted certificates in a window: run the command in Terminal on the Mac's own screen, "
                + "not over SSH"
        case .missing(let program, let package):
            "\(program) is missing: install the package \(package), as in sudo apt-get install \(package)"
        case .rights: "only root can change packet rules and kernel settings (CAP_NET_ADMIN): run with sudo"
        case .unknownInterface(let name, let known):
            "unknown interface \(name.printable); available: \(known.joined(separator: ", "))"
        case .foreignTable(let table):
            "the table inet \(table) has rules that atsgate did not create, so it is left unchanged: "
                + "see nft list table inet \(table)"
        case .foreignInterface(let name):
            "atsgate did not create the interface \(name), so it is left unchanged"
        case .keys(let path, let reason): "cannot use \(path) for keys: \(reason)"
        case .journal(let path, let reason): "cannot use the journal \(path): \(reason)"
        }
    }
}

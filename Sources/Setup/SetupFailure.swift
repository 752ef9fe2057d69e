internal import Text

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
    /// A program of the system is not there; `package` is its name in Debian.
    case missing(String, package: String)
    /// Only root may do that.
    case rights
    case unknownInterface(String, known: [String])
    /// A table of packet rules has our name, and rules that are not ours.
    case foreignTable(String)
    /// pf of a Mac can not be used, and why.
    case packetFilter(String)
    /// An interface of that name is there, and is not ours.
    case foreignInterface(String)
    /// Keys can not be read or written, or others can.
    case keys(path: String, reason: String)
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
        case .missing(let program, let package):
            "\(program) is missing: install the package \(package), as in sudo apt-get install \(package)"
        case .rights: "packet rules and kernel settings are root's to change (CAP_NET_ADMIN): put sudo in front"
        case .unknownInterface(let name, let known):
            "there is no interface \(name.printable); there are \(known.joined(separator: ", "))"
        case .foreignTable(let table):
            "the table inet \(table) has rules that atsgate did not make, and stays as it is: see nft list table inet "
                + "\(table)"
        case .packetFilter(let reason): "pf can not be used: \(reason)"
        case .foreignInterface(let name):
            "there is an interface \(name) that atsgate did not make, and it stays as it is"
        case .keys(let path, let reason): "\(path) can not be used for keys: \(reason)"
        case .journal(let path, let reason): "the journal \(path) can not be used: \(reason)"
        }
    }
}

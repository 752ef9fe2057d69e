import ControlPlane
import Text

/// The live page and its API.
enum PageSection: OptionSection {
    static let title = "The live page"

    static let options: [GateOption] = [
        GateOption(
            "web", .parsed("host:port|off", PageChoice.init(argument:)), maySet: \.web,
            "Address of the live page, or off."
        )
        .details(
            """
            If the port is in use, the next free one is taken; port 0 takes any. The page's address, with its access \
            token, is printed at the start.
            """
        )
        .standard("\(WebAddress().text); for run off").example(WebAddress().text),
        GateOption(
            "web-url-file", .path(), maySet: \.webURLFile,
            "Write the page's address with its token here, readable by you alone; removed when the gate ends."
        )
        .example("/tmp/atsgate.url"),
        GateOption(
            "web-lan-changes", .flag, sets: \.allowsWebChangesFromLAN,
            "With allow-lan: let other machines make changes on the page, too, not only view it."),
        GateOption(
            "allow-policy-upload", .flag, sets: \.allowsPolicyUpload,
            "Let the page and its API put another dictionary in force, until the file changes."),
    ]
}

/// What `--web` says.
enum PageChoice: Sendable, Hashable {
    case off
    case at(WebAddress)

    init(argument: String) throws(ValueProblem) {
        guard argument != "off" else {
            self = .off
            return
        }
        self = .at(try WebAddress(argument, shape: "HOST:PORT, an IPv6 address in brackets, or off"))
    }
}

extension WebAddress {
    /// `HOST:PORT`, port 0 for a free one.
    init(argument: String) throws(ValueProblem) {
        try self.init(argument, shape: "HOST:PORT, an IPv6 address in brackets")
    }

    /// - Parameter shape: how it is to be written.
    fileprivate init(_ argument: String, shape: String) throws(ValueProblem) {
        var scanner = HostPortScanner(argument[...])
        let host = try scanner.hostPart()
        try scanner.colonPart(shape)
        guard let port = try scanner.portPart(from: 0), scanner.isAtEnd, !host.isEmpty else {
            throw ValueProblem("it must be written as \(shape)")
        }
        guard host == "localhost" || IPAddress(host) != nil else {
            throw ValueProblem("\"\(host)\" is neither an IP address nor localhost")
        }
        self.init(host: host, port: port)
    }
}

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
            If the port is in use, the next free one is used; port 0 uses any. The page's address, with its access \
            token, is printed at the start.
            """
        )
        .standard("\(WebAddress().text); for run off").example(WebAddress().text),
        GateOption(
            "web-url-file", .path(), maySet: \.webURLFile,
            "Write the page's address with its token to this file, readable only by you; removed when the gate ends."
        )
        .example("/tmp/atsgate.url"),
        GateOption(
            "web-lan-changes", .flag, sets: \.allowsWebChangesFromLAN,
            "With allow-lan: let other machines make changes on the page, not only view it."),
        GateOption(
            "allow-policy-upload", .flag, sets: \.allowsPolicyUpload,
            "Let the page and its API replace the enforced dictionary, until the policy file changes."),
    ]
}

/// The value of `--web`.
enum PageChoice: Sendable, Hashable {
    case off
    case at(WebAddress)

    init(argument: String) throws(ValueProblem) {
        guard argument != "off" else {
            self = .off
            return
        }
        self = .at(try WebAddress(argument, shape: "HOST:PORT, with IPv6 addresses in brackets, or off"))
    }
}

extension WebAddress {
    /// `HOST:PORT`, port 0 for a free one.
    init(argument: String) throws(ValueProblem) {
        try self.init(argument, shape: "HOST:PORT, with IPv6 addresses in brackets")
    }

    /// - Parameter shape: the expected form.
    fileprivate init(_ argument: String, shape: String) throws(ValueProblem) {
        var scanner = HostPortScanner(argument[...])
        let host = try scanner.hostPart()
        try scanner.colonPart(shape)
        guard let port = try scanner.portPart(from: 0), scanner.isAtEnd, !host.isEmpty else {
            throw ValueProblem("write \(shape)")
        }
        guard host == "localhost" || IPAddress(host) != nil else {
            throw ValueProblem("\"\(host)\" is neither an IP address nor localhost")
        }
        self.init(host: host, port: port)
    }
}

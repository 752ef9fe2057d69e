import ArgumentParser
import ControlPlane
import Text

/// The live page and its API.
struct PageOptions: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            "Live page's address, or off. (default: \(WebAddress().text))",
            discussion: """
                The default for run is off. \
                If the port is in use, the next free one is used; port 0 uses any. The page's address, with its access \
                token, is printed at the start.
                Example: \(WebAddress().text)
                """, valueName: "host:port|off"),
        transform: PageChoice.init(argument:))
    var web: PageChoice?

    @Option(
        help: ArgumentHelp(
            "Write the page's address with its token to this file, readable only by you; removed when the gate ends.",
            discussion: "Example: /tmp/atsgate.url", valueName: "path", visibility: .seldom),
        completion: .file(), transform: String.given)
    var webURLFile: String?

    @Flag(
        help: ArgumentHelp(
            "With allow-lan: let other machines make changes on the page, not only view it.", visibility: .seldom))
    var webLANChanges = false

    @Flag(
        help: ArgumentHelp(
            "Let the page and its API replace the enforced dictionary, until the policy file changes.",
            visibility: .seldom))
    var allowPolicyUpload = false

    func apply(to choices: inout GateChoices) {
        choices.web = web
        choices.webURLFile = webURLFile
        choices.allowsWebChangesFromLAN = webLANChanges
        choices.allowsPolicyUpload = allowPolicyUpload
    }
}

/// Monitoring of the gate.
struct MonitoringOptions: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            "Serve /healthz, /readyz and /metrics at this address, without a token. (default: off)",
            discussion: """
                Numbers are in Prometheus text format and contain no host, address or recording. Port 0 lets the \
                system choose; the port is the last line of --port-file.
                Example: 127.0.0.1:9804
                """, valueName: "host:port", visibility: .seldom),
        transform: WebAddress.init(argument:))
    var metrics: WebAddress?

    func apply(to choices: inout GateChoices) { choices.metrics = metrics }
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

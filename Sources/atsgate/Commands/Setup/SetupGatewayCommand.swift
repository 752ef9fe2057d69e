import ArgumentParser
import Setup
import Text

struct SetupGatewayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Redirects what devices load through this machine to the gate, whatever their proxy settings.",
        discussion: """
            For a hotspot or a tunnel of this machine; on a Mac, where it was never run, with pf and IPv4 alone. On \
            Linux, connections to the ports that arrive on the interface are redirected to a transparent:// \
            listener, UDP 443 is rejected so that clients of HTTP/3 take TCP, and everything else is passed on, from \
            private addresses under this machine's own. The rules are in a table of their own, inet atsgate; no \
            other is touched. Needs root, nft and sysctl. The hotspot, step by step: atsgate explain gateway.
            """)

    @Option(
        name: .customLong("interface"),
        help: ArgumentHelp(
            "The interface that devices connect through, for example wlan0; repeatable.", valueName: "name"))
    var interfaces: [String] = []

    @Option(help: ArgumentHelp("Where the gate listens as transparent://.", valueName: "port"))
    var listenPort = Gateway.usualListenPort

    @Option(help: ArgumentHelp("TCP ports whose connections are redirected to the gate.", valueName: "port,..."))
    var ports = PortList(ports: Gateway.usualPorts)

    @OptionGroup var changes: SetupChanges

    func validate() throws {
        guard changes.undo || !interfaces.isEmpty else {
            throw ValidationError("--interface says where devices come in.")
        }
        guard (1...65_535).contains(listenPort) else {
            throw ValidationError("--listen-port \(listenPort) is no port from 1 to 65535.")
        }
    }

    func run() throws {
        guard Setup.hasNetwork || Setup.isPossible else {
            throw CommandFailure.unavailable("it needs Linux or macOS, and their packet rules")
        }
        if changes.undo { return try changes.takeBack([.gateway]) }
        if !changes.dryRun { try DataDirectory.prepare() }
        let gateway = Gateway(interfaces: interfaces, ports: ports.ports, listenPort: listenPort)
        let isMac = Setup.isPossible
        let done = try changes.setupping {
            try isMac ? changes.setup.useMacGateway(gateway) : changes.setup.useGateway(gateway)
        }
        changes.tell(done, undo: "atsgate setup gateway --undo")
        guard !changes.dryRun else { return }
        let listeners = isMac ? Gateway.macListeners(at: listenPort) : Gateway.listeners(at: listenPort)
        StandardError.say("the gate for it: atsgate proxy \(listeners)")
        if isMac { StandardError.say("not run on a Mac when this was made: see atsgate explain gateway") }
    }
}

/// `80,443`: ports from 1 to 65535, each once.
struct PortList: ExpressibleByArgument, Sendable {
    let ports: [Int]

    init(ports: [Int]) { self.ports = ports }

    init?(argument: String) {
        var ports: [Int] = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let port = Int(part), (1...65_535).contains(port), part.allSatisfy(\.isNumber) else { return nil }
            if !ports.contains(port) { ports.append(port) }
        }
        self.ports = ports.sorted()
    }

    var defaultValueDescription: String { ports.map(String.init).joined(separator: ",") }
}

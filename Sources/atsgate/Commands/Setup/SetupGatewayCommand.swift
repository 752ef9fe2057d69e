import ArgumentParser
import Setup
import Text

struct SetupGatewayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Redirects what devices load through this machine to the gate, with any proxy settings.",
        discussion: """
            For a hotspot or a tunnel of a Linux machine. Connections to the ports that arrive on the interface are \
            redirected to a transparent:// listener; UDP 443 is rejected so that HTTP/3 clients use TCP; \
            everything else is forwarded, from private addresses under this machine's own. The rules are in their own \
            table, inet atsgate; other tables are not changed. Needs root, nft and sysctl. The hotspot, step by step: atsgate explain gateway.
            """)

    @Option(
        name: .customLong("interface"),
        help: ArgumentHelp(
            "The interface that devices connect through, for example wlan0; repeatable.", valueName: "name"))
    var interfaces: [String] = []

    @Option(help: ArgumentHelp("The port of the gate's transparent:// listener.", valueName: "port"))
    var listenPort = Gateway.usualListenPort

    @Option(help: ArgumentHelp("TCP ports to redirect to the gate.", valueName: "port,..."))
    var ports = PortList(ports: Gateway.usualPorts)

    @OptionGroup var changes: SetupChanges

    func validate() throws {
        guard changes.undo || !interfaces.isEmpty else {
            throw ValidationError("--interface is missing: name the interface that devices connect through.")
        }
        guard (1...65_535).contains(listenPort) else {
            throw ValidationError("--listen-port \(listenPort) is not a port from 1 to 65535.")
        }
    }

    func run() throws {
        guard Setup.hasNetwork else {
            throw CommandFailure.unavailable(
                "setup gateway needs Linux and its packet rules; for a Mac see atsgate explain gateway")
        }
        if changes.undo { return try changes.revert([.gateway]) }
        if !changes.dryRun { try DataDirectory.prepare() }
        let gateway = Gateway(interfaces: interfaces, ports: ports.ports, listenPort: listenPort)
        let done = try changes.setup.useGateway(gateway)
        changes.printChanges(done, undo: "atsgate setup gateway --undo")
        guard !changes.dryRun else { return }
        StandardError.writeLine("now start the gate: atsgate proxy \(Gateway.listeners(at: listenPort))")
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

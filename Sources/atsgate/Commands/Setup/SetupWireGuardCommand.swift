import ArgumentParser
import Foundation
import Onboarding
import ProxyServer
import Setup
import Text

struct SetupWireGuardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wireguard",
        abstract: "Gives devices a tunnel to this machine, and redirects what they load through it to the gate.",
        discussion: """
            Creates the WireGuard interface atsgate0 with one peer per device, and packet rules in their own table, \
            inet atsgate_wireguard. Each peer has its own listener, so that records carry its label. Standard output \
            is the configuration of the gate, for proxy --config; a terminal also shows QR codes for WireGuard's phone \
            app. Keys are readable by this user only (0600), and are kept when the command is run again. Needs Linux, \
            root, nft, wg, and wireguard-go if the kernel has no WireGuard: atsgate explain gateway.
            """)

    @Option(help: ArgumentHelp("The number of devices, named device1, device2 and so on.", valueName: "n"))
    var peers: Int?

    @Option(
        name: .customLong("peer"),
        help: ArgumentHelp(
            "A device's name, and settings for its loads as in --listen; repeatable.",
            valueName: "name[,label=,os=,...]"))
    var named: [TunnelPeer] = []

    @Option(
        help: ArgumentHelp(
            "The UDP address of this machine for devices. (default: an address of this machine, port 51820)",
            valueName: "host:port"))
    var endpoint: GateAddress?

    @Option(
        help: ArgumentHelp(
            "A resolver for the devices, reached through the tunnel; repeatable. (default: the gate, with --names)",
            valueName: "address"))
    var dns: [String] = []

    @Option(help: ArgumentHelp("TCP ports to redirect to the gate.", valueName: "port,..."))
    var ports = PortList(ports: [80, 443])

    @Option(help: ArgumentHelp("Only print a device's configuration again.", valueName: "name"))
    var show: String?

    @Flag(help: "With --undo: keep the keys, so that the devices can connect again later.")
    var keepKeys = false

    @OptionGroup var changes: SetupChanges

    func validate() throws {
        guard !keepKeys || changes.undo else { throw ValidationError("--keep-keys needs --undo.") }
        guard (1...TunnelPlan.mostPeers).contains(allPeers.count) else {
            throw ValidationError("1 to \(TunnelPlan.mostPeers) peers are possible, not \(allPeers.count).")
        }
        let names = allPeers.map(\.name)
        guard Set(names).count == names.count else { throw ValidationError("two peers have the same name.") }
        for address in dns where IPAddress(address) == nil {
            throw ValidationError("--dns \(address.printable) is not an IP address.")
        }
    }

    func run() throws {
        guard Setup.hasNetwork else {
            throw CommandFailure.unavailable("setup wireguard needs Linux and its packet rules")
        }
        if changes.undo { return try changes.revert([.wireguard], keepsKeys: keepKeys) }
        if let show { return try print(configurationOf: show) }
        let plan = try plan()
        if !changes.dryRun { try DataDirectory.prepare() }
        let made = try TunnelSetup(changes.setup).use(plan)
        changes.printChanges(made.done, undo: "atsgate setup wireguard --undo")
        guard !changes.dryRun else { return }
        try Output.withOutput(to: nil) { try $0.write(Array(gateConfiguration(of: made.tunnel).utf8)) }
        for peer in allPeers { try tell(peer.name) }
        StandardError.writeLine("now start the gate: save standard output as FILE, then atsgate proxy --config FILE")
    }

    private var allPeers: [TunnelPeer] {
        let numbered = peers ?? (named.isEmpty ? 1 : 0)
        return named + (0..<max(0, min(numbered, TunnelPlan.mostPeers + 1))).map { TunnelPeer(number: $0 + 1) }
    }

    private static var folder: String { DataDirectory.tunnelKeys }

    /// - Throws: ``CommandFailure`` with 69 if this machine has no suitable address.
    private func plan() throws(CommandFailure) -> TunnelPlan {
        var plan = TunnelPlan(
            endpoint: ("", 51_820), names: allPeers.map(\.name), resolvers: dns, folder: Self.folder)
        plan.ports = ports.ports
        let hosts = ListenAddress(host: "0.0.0.0", port: plan.endpoint.port).proxies.map(\.host).filter { host in
            IPAddress(host)?.isLoopback == false && !host.hasPrefix(plan.network + ".")
        }
        guard let host = endpoint?.host ?? hosts.first else {
            throw .unavailable("this machine has no address that a device could reach: name one with --endpoint")
        }
        plan.endpoint = (host, endpoint?.port ?? plan.endpoint.port)
        return plan
    }

    /// The configuration for `proxy --config`.
    private func gateConfiguration(of tunnel: WireGuardTunnel) -> String {
        let suffixes = Dictionary(uniqueKeysWithValues: allPeers.map { ($0.name, $0.suffix) })
        let listeners = ["127.0.0.1:9802"] + tunnel.listeners(suffixes)
        return "allow-lan = true\nnames = \(tunnel.names)\n" + listeners.map { "listen = \($0)\n" }.joined()
    }

    /// Prints the path of a device's configuration, and on a terminal its QR code.
    private func tell(_ name: String) throws {
        StandardError.writeLine(
            "\(name): \(Self.folder)/\(name).conf; atsgate setup wireguard --show \(name) prints it")
        guard isatty(STDERR_FILENO) == 1, let text = try TunnelSetup.configuration(of: name, in: Self.folder),
            let code = QRCode(text)
        else {
            return
        }
        StandardError.write(code.terminalText)
    }

    private func print(configurationOf name: String) throws {
        guard TunnelPlan.isName(name), let text = try TunnelSetup.configuration(of: name, in: Self.folder) else {
            throw CommandFailure.usage("there is no peer \(name.printable)")
        }
        try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
        if isatty(STDERR_FILENO) == 1, let code = QRCode(text) { StandardError.write(code.terminalText) }
    }
}

/// The `NAME` of a device, followed by a comma and settings as in `--listen`.
struct TunnelPeer: ExpressibleByArgument, Sendable {
    let name: String
    /// The settings. The label is the device's name unless one is given.
    let suffix: String

    init(number: Int) {
        name = "device\(number)"
        suffix = "label=\(name)"
    }

    init?(argument: String) {
        let parts = argument.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard TunnelPlan.isName(parts[0]) else { return nil }
        name = parts[0]
        let given = parts.count > 1 ? parts[1] : ""
        guard (try? ListenAddress(argument: "127.0.0.1:1" + (given.isEmpty ? "" : ",\(given)"))) != nil else {
            return nil
        }
        let hasLabel = given.split(separator: ",").contains { $0.hasPrefix("label=") }
        suffix = [hasLabel ? nil : "label=\(parts[0])", given.isEmpty ? nil : given].compactMap(\.self)
            .joined(separator: ",")
    }
}

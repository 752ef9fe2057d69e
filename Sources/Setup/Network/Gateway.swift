internal import Text

/// A machine that routes other devices' traffic, and redirects part of it to a gate.
public struct Gateway: Sendable, Hashable, Codable {
    /// Interfaces that the devices are connected to.
    public var interfaces: [String]
    /// TCP ports whose connections are redirected to the gate.
    public var ports: [Int]
    /// The port of the gate's transparent:// listener.
    public var listenPort: Int

    /// - Parameter ports: TCP ports.
    public init(interfaces: [String], ports: [Int] = usualPorts, listenPort: Int = usualListenPort) {
        self.interfaces = interfaces
        self.ports = ports
        self.listenPort = listenPort
    }

    public static let usualPorts = [80, 443]
    public static let usualListenPort = 9_902

    /// The command that sets it up.
    var command: String {
        var words = interfaces.map { " --interface \($0.shellWord)" }.joined()
        if ports != Self.usualPorts { words += " --ports " + ports.map(String.init).joined(separator: ",") }
        if listenPort != Self.usualListenPort { words += " --listen-port \(listenPort)" }
        return "sudo atsgate setup gateway" + words
    }

    /// The only table that is ever created, changed or deleted for it.
    static let tableName = "atsgate"

    /// Options of a gate for it that is also a proxy, for its page.
    public static func listeners(at port: Int) -> String {
        "--allow-lan --listen 0.0.0.0:9802 --listen transparent://0.0.0.0:\(port) --listen transparent://[::]:\(port)"
    }

    var title: String {
        let numbers = ports.map(String.init).joined(separator: ", ")
        return "table inet \(Self.tableName): TCP \(numbers) from \(interfaces.joined(separator: ", ")) to port "
            + "\(listenPort), UDP 443 rejected"
    }

    var table: PacketTable {
        let devices = PacketTable.set(interfaces)
        let leaving = "iifname \(devices) oifname != \(devices)"
        return PacketTable(
            name: Self.tableName,
            chains: [
                (
                    "redirected", "nat hook prerouting priority dstnat",
                    [
                        // Traffic for this machine itself, its pages for example, is not redirected.
                        "iifname \(devices) fib daddr type local return",
                        "iifname \(devices) tcp dport \(PacketTable.set(ports)) redirect to :\(listenPort)",
                    ]
                ),
                // Rejected immediately, so that a client uses TCP. Source: RFC 9308 section 2, falling back from QUIC.
                (
                    "quic", "filter hook forward priority filter",
                    ["iifname \(devices) udp dport 443 reject with icmpx port-unreachable"]
                ),
                (
                    "masqueraded", "nat hook postrouting priority srcnat",
                    [
                        "\(leaving) ip saddr \(PacketTable.privateNetworks) masquerade",
                        "\(leaving) ip6 saddr fc00::/7 masquerade",
                    ]
                ),
            ])
    }
}

extension Setup {
    /// Redirects traffic from interfaces to the gate. Undoes a gateway with other options first.
    ///
    /// - Returns: the changes; empty if it was already set up.
    public func useGateway(_ gateway: Gateway) throws(SetupFailure) -> [String] {
        try checkNetworkTools()
        // The rest of an aborted setup is not the original state.
        try recover()
        try checkInterfaces(gateway.interfaces)
        let steps = try kernelSettings.forwardingSteps(for: .gateway) + [.gateway(gateway)]
        return try isInPlace(.gateway, as: steps) ? [] : replace(.gateway, by: steps)
    }

    /// The gateway in the journal.
    func journaledGateway() throws(SetupFailure) -> Gateway? {
        for step in try journal.entries().filter(\.isWhole).flatMap(\.steps) {
            switch step {
            case .gateway(let gateway): return gateway
            case .proxy, .simulator, .keychain, .kernel, .keys, .tunnelRules, .tunnel: continue
            }
        }
        return nil
    }

    /// - Throws: the missing programs or rights.
    func checkNetworkTools() throws(SetupFailure) {
        do throws(SetupFailure) {
            _ = try ask(["nft", "list", "tables"])
        } catch {
            guard case .command(_, let reason) = error, reason.contains("Operation not permitted") else { throw error }
            throw .rights
        }
    }

    private func checkInterfaces(_ names: [String]) throws(SetupFailure) {
        let known = try interfaces()
        for name in names where !known.contains(name) { throw .unknownInterface(name, known: known) }
    }

    /// Names from `ip -o link show`, `2: eth0@if5: <BROADCAST,…`, without names whose characters could end a string in
    /// a rule.
    func interfaces() throws(SetupFailure) -> [String] {
        try ask(["ip", "-o", "link", "show"]).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 2 else { return nil }
            let name = words[1].dropLast().split(separator: "@").first ?? ""
            return name.contains(where: { "\"\\{};*".contains($0) }) ? nil : String(name)
        }
    }

    /// True if the journal contains exactly these steps of a kind, and all are in force.
    func isInPlace(_ kind: Kind, as steps: [SetupStep]) throws(SetupFailure) -> Bool {
        let standing = try journal.entries().filter(\.isWhole).flatMap(\.steps).filter { $0.kind == kind && !$0.isKeys }
        var isDone = Set(standing) == Set(steps)
        // All steps are checked, because any table may belong to another program.
        for step in steps {
            if let state = try packets(of: step) {
                if state != .whole { isDone = false }
            } else if try !isInForce(step) {
                isDone = false
            }
        }
        return isDone
    }

    /// Replaces the steps of the same kind; keys are kept.
    func replace(_ kind: Kind, by steps: [SetupStep]) throws(SetupFailure) -> [String] {
        guard !isDryRun else { return steps.map(\.title) }
        var before = self
        before.keepsKeys = true
        _ = try before.undo([kind])
        for step in steps {
            // Rules of atsgate that no journal contains, because it was lost.
            if let table = step.table, try packetRules.state(of: table) != .absent {
                try run(PacketTable.removal(of: table.name))
            }
        }
        try make(steps)
        return steps.map(\.title)
    }
}

extension SetupStep {
    var table: PacketTable? {
        switch self {
        case .gateway(let gateway): gateway.table
        case .tunnelRules(let tunnel): tunnel.table
        case .proxy, .simulator, .keychain, .kernel, .keys, .tunnel: nil
        }
    }
}

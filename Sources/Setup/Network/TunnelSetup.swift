internal import Foundation

/// Makes a tunnel, and takes it back.
public struct TunnelSetup: Sendable {
    private let setup: Setup

    public init(_ setup: Setup) { self.setup = setup }

    /// Makes a tunnel; one that was made otherwise is taken back first. Keys that are there stay as they are, so that
    /// devices need nothing new.
    ///
    /// - Returns: what was changed, nothing where all was so already; and the tunnel.
    public func use(_ plan: TunnelPlan) throws(SetupFailure) -> (done: [String], tunnel: WireGuardTunnel) {
        try setup.checkNetworkTools()
        _ = try setup.ask(["wg", "show", "interfaces"])
        try setup.recover()
        let (tunnel, files, new) = try keys(for: plan)
        try checkInterface(of: tunnel)
        let steps = try setup.kernelSettings.forwardingSteps(for: .wireguard) + [.tunnelRules(tunnel), .tunnel(tunnel)]
        var isDone = try setup.isStanding(.wireguard, as: steps)
        for (name, content) in files where try KeyFolder(path: plan.folder).read(name) != content { isDone = false }
        if isDone { return ([], tunnel) }
        var making = setup
        making.secrets = files
        let keys = SetupStep.keys(folder: plan.folder, names: new.sorted())
        return (try making.replace(.wireguard, by: [keys] + steps), tunnel)
    }

    /// Keys of this machine and of the peers, and what devices read.
    ///
    /// - Returns: all files with their content, and the names of those that are not there yet, or are made anew.
    private func keys(
        for plan: TunnelPlan
    ) throws(SetupFailure) -> (tunnel: WireGuardTunnel, files: [String: String], new: [String]) {
        let folder = KeyFolder(path: plan.folder)
        var (files, new): ([String: String], [String]) = ([:], [])
        func key(_ name: String) throws(SetupFailure) -> (secret: String, open: String) {
            let known = try folder.read(KeyFolder.keyName(name))
            var secret = known ?? ""
            if known == nil {
                secret = try setup.ask(["wg", "genkey"])
                new.append(KeyFolder.keyName(name))
            }
            files[KeyFolder.keyName(name)] = secret
            let open = try setup.ask(["wg", "pubkey"], input: secret)
            return (Self.line(secret), Self.line(open))
        }
        let own = try key("interface")
        var (secrets, keys): ([String: String], [String: String]) = ([:], [:])
        for name in plan.names { (secrets[name], keys[name]) = try key(name) }
        let tunnel = plan.tunnel(key: own.open, keys: keys)
        for peer in tunnel.peers {
            let name = KeyFolder.configurationName(peer.name)
            files[name] = plan.configuration(of: peer, in: tunnel, secret: secrets[peer.name] ?? "")
            new.append(name)
        }
        return (tunnel, files, new)
    }

    private static func line(_ text: String) -> String { text.split(separator: "\n").first.map(String.init) ?? "" }

    /// - Throws: ``SetupFailure/foreignInterface(_:)`` for one of that name that is not ours.
    private func checkInterface(of tunnel: WireGuardTunnel) throws(SetupFailure) {
        guard try setup.interfaces().contains(tunnel.interface) else { return }
        let standing = try setup.standingTunnel()
        guard let standing, standing.interface == tunnel.interface, try setup.isInForce(.tunnel(standing)) else {
            throw .foreignInterface(tunnel.interface)
        }
    }

    /// What a device reads; nil where there is no such peer.
    public static func configuration(of peer: String, in folder: String) throws(SetupFailure) -> String? {
        try KeyFolder(path: folder).read(KeyFolder.configurationName(peer))
    }

    /// Names of the peers whose configuration is there, in their order; none where this user may not look.
    public static func peers(in folder: String) -> [String] {
        let suffix = KeyFolder.configurationName("")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
            .filter(TunnelPlan.isName).sorted()
    }

    func make(_ tunnel: WireGuardTunnel) throws(SetupFailure) {
        let (kernel, program) = tunnel.making
        if setup.runner.run(kernel).status != 0 { try setup.run(program) }
        for command in tunnel.commands { try setup.run(command) }
    }

    /// Waits until the program has ended that made the interface: it holds a socket of its name. Asks 100 times at most.
    func awaitEnd(of tunnel: WireGuardTunnel) {
        for _ in 0..<100 where setup.runner.run(["wg", "show", tunnel.interface, "public-key"]).status == 0 {
            // It is nobody's child any more, and wg(8) has no command that waits: so the question is put again.
            usleep(20_000)
        }
    }

    /// There is an interface of that name, with our key, or with none yet.
    func isThere(_ tunnel: WireGuardTunnel) throws(SetupFailure) -> Bool {
        guard try setup.interfaces().contains(tunnel.interface) else { return false }
        let key = setup.runner.run(["wg", "show", tunnel.interface, "public-key"]).output.split(separator: "\n").first
        return key.map(String.init) == tunnel.key || key == "(none)"
    }
}

extension Setup {
    /// The one that stands, by the journal.
    func standingTunnel() throws(SetupFailure) -> WireGuardTunnel? {
        for case .tunnel(let tunnel) in try journal.entries().filter(\.isWhole).flatMap(\.steps) { return tunnel }
        return nil
    }
}

extension SetupStep {
    var isKeys: Bool { if case .keys = self { true } else { false } }
}

internal import Foundation

/// Creates a tunnel, and removes it.
public struct TunnelSetup: Sendable {
    private let setup: Setup

    public init(_ setup: Setup) { self.setup = setup }

    /// Creates a tunnel; removes one with other options first. Existing keys are kept, so that devices need no change.
    ///
    /// - Returns: the changes, empty if it was already set up; and the tunnel.
    public func use(_ plan: TunnelPlan) throws(SetupFailure) -> (done: [String], tunnel: WireGuardTunnel) {
        try setup.checkNetworkTools()
        _ = try setup.ask(["wg", "show", "interfaces"])
        try setup.recover()
        let (tunnel, files, new) = try keys(for: plan)
        try checkInterface(of: tunnel)
        let steps = try setup.kernelSettings.forwardingSteps(for: .wireguard) + [.tunnelRules(tunnel), .tunnel(tunnel)]
        var isDone = try setup.isInPlace(.wireguard, as: steps)
        for (name, content) in files where try KeyFolder(path: plan.folder).read(name) != content { isDone = false }
        if isDone { return ([], tunnel) }
        var making = setup
        making.secrets = files
        let keys = SetupStep.keys(folder: plan.folder, names: new.sorted())
        return (try making.replace(.wireguard, by: [keys] + steps), tunnel)
    }

    /// The keys of this machine and of the peers, and the configurations of devices.
    ///
    /// - Returns: all files with their content, and the names of those that are new or written again.
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

    /// - Throws: ``SetupFailure/foreignInterface(_:)`` for an interface of that name that atsgate did not create.
    private func checkInterface(of tunnel: WireGuardTunnel) throws(SetupFailure) {
        guard try setup.interfaces().contains(tunnel.interface) else { return }
        let standing = try setup.journaledTunnel()
        guard let standing, standing.interface == tunnel.interface, try setup.isInForce(.tunnel(standing)) else {
            throw .foreignInterface(tunnel.interface)
        }
    }

    /// The configuration of a device; nil if there is no such peer.
    public static func configuration(of peer: String, in folder: String) throws(SetupFailure) -> String? {
        try KeyFolder(path: folder).read(KeyFolder.configurationName(peer))
    }

    /// Names of the peers with a configuration, sorted; empty if this user may not read the folder.
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

    /// Waits until the program that created the interface has ended: it holds a socket of that name. Checks 100 times
    /// at most.
    func awaitEnd(of tunnel: WireGuardTunnel) {
        for _ in 0..<100 where setup.runner.run(["wg", "show", tunnel.interface, "public-key"]).status == 0 {
            // It is not a child process, and wg(8) has no command that waits, so this polls.
            usleep(20_000)
        }
    }

    /// True if an interface of that name has the tunnel's key, or no key yet.
    func exists(_ tunnel: WireGuardTunnel) throws(SetupFailure) -> Bool {
        guard try setup.interfaces().contains(tunnel.interface) else { return false }
        let key = setup.runner.run(["wg", "show", tunnel.interface, "public-key"]).output.split(separator: "\n").first
        return key.map(String.init) == tunnel.key || key == "(none)"
    }
}

extension Setup {
    /// The tunnel in the journal.
    func journaledTunnel() throws(SetupFailure) -> WireGuardTunnel? {
        for case .tunnel(let tunnel) in try journal.entries().filter(\.isWhole).flatMap(\.steps) { return tunnel }
        return nil
    }
}

extension SetupStep {
    var isKeys: Bool { if case .keys = self { true } else { false } }
}

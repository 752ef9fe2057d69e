/// A change that was undone.
public struct UndoneChange: Sendable, Hashable {
    /// For people.
    public let title: String
    public let kind: Setup.Kind
}

/// One change to this machine, with the facts to undo it. Written to the journal before it is made.
public enum SetupStep: Sendable, Hashable, Codable {
    case proxy(service: String, kind: ProxySetting.Kind, before: ProxySetting, now: ProxySetting)
    /// The CA in a simulator's keychain. `set` is the name of a device set other than the usual one; a journal of an
    /// earlier version has no `sha256`.
    case simulator(udid: String, name: String, set: String?, certificate: String, sha256: String?)
    /// The CA, trusted in the user's keychain.
    case keychain(certificate: String, sha256: String)
    /// A kernel setting for forwarding of packets.
    case kernel(KernelSetting, of: Setup.Kind)
    /// The packet rules of a gateway.
    case gateway(Gateway)
    /// Private keys of a tunnel and configurations of devices, as files of these names.
    case keys(folder: String, names: [String])
    /// The packet rules of a tunnel.
    case tunnelRules(WireGuardTunnel)
    /// The interface of a tunnel, with addresses and peers.
    case tunnel(WireGuardTunnel)

    /// The change, as text for the user.
    public var title: String {
        switch self {
        case .proxy(let service, let kind, _, let now):
            now.isOn ? "\(kind.title) of \(service): \(now.server):\(now.port)" : "\(kind.title) of \(service): off"
        case .simulator(_, let name, let set, _, _): Self.title(name, set: set)
        case .keychain: "CA trusted in your login keychain"
        case .kernel(let setting, _): "\(setting.name) = \(setting.now), was \(setting.before)"
        case .gateway(let gateway): gateway.title
        case .keys(let folder, _): "keys in \(folder)"
        case .tunnelRules(let tunnel): tunnel.tableTitle
        case .tunnel(let tunnel): tunnel.title
        }
    }

    /// The title of the CA in a simulator.
    static func title(_ simulator: String, set: String?) -> String {
        // A journal may name a set that this version does not know.
        let purpose = set.map { Simulator.OtherSet(rawValue: $0)?.words ?? "in the set \($0)" }
        return "CA in \(simulator)" + (purpose.map { " (\($0))" } ?? "")
    }

    /// The simulator that trusts the certificate; nil for any other step.
    func udid(trusting certificate: String?) -> String? {
        guard case .simulator(let udid, _, _, _, let sha256) = self, sha256 == certificate else { return nil }
        return udid
    }

    /// The commands that make the change.
    var commands: [[String]] {
        switch self {
        case .proxy(let service, let kind, _, let now): now.commands(kind, of: service)
        case .simulator(let udid, _, let set, let certificate, _):
            [Self.simctl(set) + ["keychain", udid, "add-root-cert", certificate]]
        case .keychain(let certificate, _): [["security", "add-trusted-cert", "-r", "trustRoot", certificate]]
        case .kernel(let setting, _): [["sysctl", "-q", "-w", "\(setting.name)=\(setting.now)"]]
        case .gateway, .tunnelRules: [PacketTable.command]
        // These need more than commands: Setup.perform.
        case .keys, .tunnel: []
        }
    }

    /// Standard input of its command.
    var input: String {
        switch self {
        case .gateway(let gateway): gateway.table.text
        case .tunnelRules(let tunnel): tunnel.table.text
        case .proxy, .simulator, .keychain, .kernel, .keys, .tunnel: ""
        }
    }

    /// The commands that undo the change. For a simulator they are the last resort: they empty its whole keychain,
    /// including items of apps (`xcrun simctl help keychain`).
    var undoing: [[String]] {
        switch self {
        case .proxy(let service, let kind, let before, _): before.commands(kind, of: service)
        case .simulator(let udid, _, let set, _, _): [Self.simctl(set) + ["keychain", udid, "reset"]]
        case .keychain(let certificate, let sha256):
            [["security", "remove-trusted-cert", certificate], ["security", "delete-certificate", "-Z", sha256]]
        case .kernel(let setting, _): [setting.restoring]
        case .gateway: [PacketTable.removal(of: Gateway.tableName)]
        case .tunnelRules: [PacketTable.removal(of: WireGuardTunnel.tableName)]
        case .tunnel(let tunnel): [tunnel.removal]
        case .keys: []
        }
    }

    static func simctl(_ set: String?) -> [String] {
        ["xcrun", "simctl"] + (set.map { ["--set", $0] } ?? [])
    }
}

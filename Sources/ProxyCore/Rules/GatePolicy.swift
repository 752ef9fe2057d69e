public import ATSPolicy
public import TLSEngine
import Text

/// Everything that decides about loads, immutable: a reload replaces it as a whole. Shared by all loops.
public final class GatePolicy: Sendable {
    public let rules: LoadRules
    /// Hosts whose TLS is not decrypted.
    let passthrough: HostPatterns
    /// Hosts whose TLS is not decrypted for clients on other machines.
    let devicePassthrough: HostPatterns
    public let trust: TrustStore
    /// The certificates for origins that request one.
    public let identities: ClientIdentities
    /// Name of the run, for records.
    public let recording: String
    /// Identifies this version of the policy.
    let policyVersion = PolicyVersion()
    private let systems: SystemTable
    private let systemsByLaw: [ListenerPolicy: SystemTable]
    /// `HOST:PORT` under which this gate itself listens; loads to it are answered here, never dialed.
    public let ownAuthorities: Set<String>
    /// The ports of these addresses. Most loads are excluded by port, without formatting text.
    private let ownPorts: Set<Int>

    /// - Parameters:
    ///   - system: the release for every client, or for clients whose release is unknown.
    ///   - laws: the exceptions for the clients of some listeners.
    public init(
        system: JudgedSystem, laws: [ListenerPolicy: JudgedSystem] = [:], rules: LoadRules = LoadRules(),
        trust: TrustStore, identities: ClientIdentities = ClientIdentities(),
        recording: String = "", ownAuthorities: Set<String> = []
    ) {
        let policyVersion = policyVersion
        func table(_ system: JudgedSystem) -> SystemTable {
            SystemTable(judge: system.judge, system: system.source, policyVersion: policyVersion)
        }
        systems = table(system)
        systemsByLaw = laws.mapValues(table)
        self.rules = rules.effective
        passthrough = rules.passthrough(for: .everyone)
        devicePassthrough = rules.passthrough(for: .devices)
        self.trust = trust
        self.identities = identities
        self.recording = recording
        self.ownAuthorities = ownAuthorities
        ownPorts = Set(ownAuthorities.compactMap { $0.split(separator: ":").last.flatMap { Int($0) } })
    }

    /// The judge for clients whose release is unknown.
    public var judge: Judge { systems.usual.policy.judge }

    func systems(for place: ClientSource) -> SystemTable { place.law.flatMap { systemsByLaw[$0] } ?? systems }

    /// True if the target is this gate itself.
    func owns(_ target: LoadTarget) -> Bool { owns(target.host, port: target.port) }

    func owns(_ host: String, port: Int) -> Bool {
        ownPorts.contains(port) && ownAuthorities.contains("\(host.lowercased()):\(port)")
    }
}

/// How the release of a client is determined.
public enum SystemSource: Sendable, Hashable {
    /// Named by the user: the same for all.
    case named
    /// By the User-Agent. If it does not show a release, the one guessed by `usual`, or the newest.
    case guessed(usual: OSGuess?)
}

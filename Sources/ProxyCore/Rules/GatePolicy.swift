public import ATSPolicy
public import TLSEngine
import Text

/// Everything that decides about loads, frozen: what a reload replaces as a whole. Shared by all loops.
public final class GatePolicy: Sendable {
    public let rules: LoadRules
    /// Hosts whose TLS is not opened.
    let passthrough: HostPatterns
    /// The same for clients that are not on this machine.
    let devicePassthrough: HostPatterns
    public let trust: TrustStore
    /// What is shown to origins that ask for a certificate.
    public let identities: ClientIdentities
    /// Name of the run, for records.
    public let recording: String
    /// Tells this law from any other one.
    let edition = LawEdition()
    private let systems: SystemTable
    private let systemsByLaw: [ListenerLaw: SystemTable]
    /// `HOST:PORT` under which this gate itself listens; loads to it are answered here, never dialed.
    public let ownAuthorities: Set<String>
    /// Ports of these, so that most loads are told apart without writing text.
    private let ownPorts: Set<Int>

    /// - Parameters:
    ///   - system: what every client is judged under, or those that tell nothing about their system.
    ///   - laws: what holds instead for the clients of some listeners.
    ///   - candidates: dictionaries under which each load is judged, too, without effect on it.
    public init(
        system: JudgedSystem, laws: [ListenerLaw: JudgedSystem] = [:], candidates: [Declaration] = [],
        rules: LoadRules = LoadRules(), trust: TrustStore, identities: ClientIdentities = ClientIdentities(),
        recording: String = "", ownAuthorities: Set<String> = []
    ) {
        let edition = edition
        func table(_ system: JudgedSystem) -> SystemTable {
            SystemTable(
                judge: system.judge, system: system.source, candidates: candidates, appTrust: rules.appTrust,
                edition: edition)
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

    /// Of clients that tell nothing of their system.
    public var judge: Judge { systems.usual.policy.judge }

    func systems(for place: ClientPlace) -> SystemTable { place.law.flatMap { systemsByLaw[$0] } ?? systems }

    /// Whether the target is this gate itself.
    func owns(_ target: LoadTarget) -> Bool { owns(target.host, port: target.port) }

    func owns(_ host: String, port: Int) -> Bool {
        ownPorts.contains(port) && ownAuthorities.contains("\(host.lowercased()):\(port)")
    }
}

/// How the system of a client is found.
public enum SystemSource: Sendable, Hashable {
    /// It was named: the same for all.
    case named
    /// By the User-Agent; where that tells nothing, it is the one that was guessed by `usual`, or the newest.
    case guessed(usual: OSGuess?)
}

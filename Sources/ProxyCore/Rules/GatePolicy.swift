public import ATSPolicy
public import TLSEngine
public import Text

/// Everything that decides about loads, frozen: what a reload replaces as a whole. Shared by all loops.
public final class GatePolicy: Sendable {
    /// What the app's own code has to say about certificates.
    public let appTrust: AppTrust
    public let mode: EnforcementMode
    public let refusal: RefusalStyle
    public let clients: ClientRules
    public let passthrough: HostPatterns
    /// The same for clients that are not on this machine.
    public let devicePassthrough: HostPatterns
    public let otherUpgrades: OtherUpgrades
    public let otherTraffic: OtherTraffic
    public let trust: TrustStore
    public let limits: SessionLimits
    /// Name of the run, for records.
    public let recording: String
    /// Tells this law from any other one.
    let edition = LawEdition()
    private let systems: SystemTable
    private let systemsByLaw: [ListenerLaw: SystemTable]
    /// What is shown to origins that ask for a certificate.
    public let identities: ClientIdentities
    /// Alternatives in HTTP/3 are passed on to clients.
    public let keepsAltSvc: Bool
    /// `HOST:PORT` under which this gate itself listens; loads to it are answered here, never dialed.
    public let ownAuthorities: Set<String>
    /// Ports of these, so that most loads are told apart without writing text.
    private let ownPorts: Set<Int>

    /// - Parameters:
    ///   - judge: of every client, or of those that tell nothing about their system.
    ///   - system: how the system of a client is found.
    ///   - laws: what holds instead for the clients of some listeners.
    ///   - candidates: dictionaries under which each load is judged, too, without effect on it.
    public init(
        judge: Judge, system: SystemSource = .named, laws: [ListenerLaw: JudgedSystem] = [:],
        candidates: [Declaration] = [], mode: EnforcementMode = .enforce,
        refusal: RefusalStyle = .untrustedLeaf, clients: ClientRules = ClientRules(), appTrust: AppTrust = .systemOnly,
        passthrough: HostPatterns = HostPatterns([]), devicePassthrough: HostPatterns = HostPatterns([]),
        otherUpgrades: OtherUpgrades = .relay,
        otherTraffic: OtherTraffic = .relay, trust: TrustStore,
        limits: SessionLimits = SessionLimits(), identities: ClientIdentities = ClientIdentities(),
        keepsAltSvc: Bool = false, recording: String = "", ownAuthorities: Set<String> = []
    ) {
        let edition = edition
        func table(_ system: JudgedSystem) -> SystemTable {
            SystemTable(
                judge: system.judge, system: system.source, candidates: candidates, appTrust: appTrust,
                edition: edition)
        }
        systems = table(JudgedSystem(judge: judge, source: system))
        systemsByLaw = laws.mapValues(table)
        self.appTrust = appTrust
        self.mode = mode
        self.refusal = refusal
        self.clients = clients
        self.passthrough = passthrough
        self.devicePassthrough = devicePassthrough
        // Who only watches refuses nothing.
        self.otherUpgrades = mode == .witness ? .relay : otherUpgrades
        self.otherTraffic = mode == .witness ? .relay : otherTraffic
        self.trust = trust
        self.limits = limits
        self.identities = identities
        self.keepsAltSvc = keepsAltSvc
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

/// Whether a broken rule stops a load.
public enum EnforcementMode: String, Sendable, CaseIterable {
    case enforce
    /// Everything passes; what a device would have blocked is recorded as `wouldBlock`.
    case audit
    /// The same, and nothing is opened: what devices do with each origin is watched and recorded beside it.
    case witness
}

/// What becomes of what a tunnel carries that is neither TLS nor HTTP.
public enum OtherTraffic: String, Sendable, CaseIterable {
    /// Passed on unread and recorded as outside: ATS does not govern raw sockets.
    case relay
    /// The tunnel is closed, and recorded as blocked.
    case refuse
}

/// How an https refusal is shown to the client.
public enum RefusalStyle: String, Sendable, CaseIterable {
    /// Finish the client's handshake with a leaf from an issuer nobody trusts: a device reports a genuine -1200
    /// [3:-9802]. Source: docs/law/refusals.md#what-can-be-shown.
    case untrustedLeaf = "untrusted-leaf"
    /// The TLS alert that makes the client report the wanted number (docs/law/errors.md#alerts).
    case alert
    case close
    /// Finish it with a leaf that has the origin's own defect, as far as one can: expired, made for another name.
    case mirror
}

/// Time and size limits of a session.
public struct SessionLimits: Sendable {
    /// From the first byte of a request, or from accepting, to the end of its head.
    public var head: Duration = .seconds(30)
    /// Between two loads, and within a body or a tunnel in which nothing moves.
    public var idle: Duration = .seconds(300)
    /// One TLS handshake, on either side.
    public var handshake: Duration = .seconds(15)
    /// From a request's end to the first byte of its answer.
    public var answer: Duration = .seconds(120)
    /// How long a client that has ended its side is still thought to wait for its answer.
    public var halfClosed: Duration = .milliseconds(900)
    /// How long a refused client may take to read why.
    public var linger: Duration = .seconds(2)
    /// Bytes that may wait in front of a slow reader before its writer is paused.
    public var highWaterBytes = 262_144

    public init() {}

    func duration(of deadline: Deadline) -> Duration {
        switch deadline {
        case .head: head
        case .idle: idle
        case .handshake: handshake
        case .answer: answer
        case .halfClosed: halfClosed
        case .linger: linger
        }
    }
}

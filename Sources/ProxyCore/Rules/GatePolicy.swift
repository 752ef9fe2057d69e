public import ATSPolicy
import Bytes
import Synchronization
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

/// The client certificates to show to origins that request one.
public struct ClientIdentities: Sendable {
    /// The certificate for one host, or for all its subdomains.
    public struct Entry: Sendable {
        let hosts: HostPatterns
        let isExact: Bool
        let port: Int?
        public let identity: ClientIdentity

        /// - Parameters:
        ///   - host: exact, or `*.example.com` for all subdomains.
        ///   - port: nil for any.
        public init(host: String, port: Int?, identity: ClientIdentity) {
            hosts = HostPatterns([host])
            isExact = !host.hasPrefix("*.")
            self.port = port
            self.identity = identity
        }
    }

    public let entries: [Entry]

    public init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// The identity for a target. An exact host has priority over a pattern, and a later entry over an earlier one.
    public func identity(for target: LoadTarget) -> ClientIdentity? {
        if entries.isEmpty { return nil }
        let fitting = entries.filter { $0.hosts.contains(target.host) && ($0.port ?? target.port) == target.port }
        return (fitting.last { $0.isExact } ?? fitting.last)?.identity
    }
}

/// The user's choices about loads and connections: part of the gate's settings and of its policy. Defaults are those of
/// the command line.
public struct LoadRules: Sendable {
    public var mode = EnforcementMode.enforce
    public var refusal = RefusalStyle.untrustedLeaf
    public var clients = ClientRules()
    /// The trust decisions of the app's own code.
    public var appTrust = AppTrust.systemOnly
    /// The handling of origins that a proxy after the gate decrypts.
    public var decrypted = DecryptedOrigins.infer
    /// Hosts whose TLS is not decrypted: patterns of ``HostPatterns``.
    public var passthrough: [String] = []
    /// The clients whose connections to ``AppleServices`` are not decrypted either.
    public var appleServices = AppleServices.Scope.devices
    /// The handling of HTTP upgrades other than WebSocket.
    public var otherUpgrades = OtherUpgrades.relay
    public var otherTraffic = OtherTraffic.relay
    /// Keeps alternative services in HTTP/3 in responses to clients.
    public var keepsAltSvc = false
    public var limits = SessionLimits()

    public init() {}

    /// The rules as applied: witness mode refuses nothing.
    var effective: LoadRules {
        guard mode == .witness else { return self }
        var rules = self
        rules.otherUpgrades = .relay
        rules.otherTraffic = .relay
        return rules
    }

    /// Hosts whose TLS is not decrypted for the clients of a scope.
    func passthrough(for scope: AppleServices.Scope) -> HostPatterns {
        let own = HostPatterns(scope == .everyone ? passthrough : [])
        return appleServices == scope ? own.union(AppleServices.hosts) : own
    }
}

/// The effect of a broken rule on its load.
public enum EnforcementMode: String, Sendable, CaseIterable {
    case enforce
    /// Everything passes; what a device would have blocked is recorded as `wouldBlock`.
    case audit
    /// As audit, and TLS is not decrypted. The reaction of devices to each origin is observed and recorded, too.
    case witness
}

/// The handling of tunnels that carry neither TLS nor HTTP.
public enum OtherTraffic: String, Sendable, CaseIterable {
    /// Passed on unread and recorded as outside: ATS does not govern raw sockets.
    case relay
    /// The tunnel is closed, and recorded as blocked.
    case refuse
}

/// The way an https refusal is shown to the client.
public enum RefusalStyle: String, Sendable, CaseIterable {
    /// Finishes the client's handshake with a leaf of an untrusted issuer: a device reports a genuine -1200 [3:-9802].
    /// Source: docs/law/refusals.md#what-can-be-shown.
    case untrustedLeaf = "untrusted-leaf"
    /// Sends the TLS alert that makes the client report the intended error (docs/law/errors.md#alerts).
    case alert
    case close
    /// Finishes it with a leaf that imitates the origin's defect if possible: expired, made for another name.
    case mirror
}

/// Time and size limits of a session.
public struct SessionLimits: Sendable {
    /// From the first byte of a request, or from accepting, to the end of its head.
    public var head: Duration = .seconds(30)
    /// Between two loads, and within a body or a tunnel in which nothing moves.
    public var idle: Duration = .seconds(300)
    /// How long a client without a load keeps its links to origins, if that is shorter than ``idle``. Then the pool gets
    /// them, except those on which the client has logged in.
    public var rest: Duration = .seconds(5)
    /// One TLS handshake, on either side.
    public var handshake: Duration = .seconds(15)
    /// From a request's end to the first byte of its response.
    public var answer: Duration = .seconds(120)
    /// How long a client that has ended its side is assumed to wait for its response.
    public var halfClosed: Duration = .milliseconds(900)
    /// The time for a refused client to read the reason.
    public var linger: Duration = .seconds(2)
    /// Bytes that may wait for a slow reader before its writer is paused.
    public var highWaterBytes = 262_144

    public init() {}

    func duration(of deadline: Deadline) -> Duration {
        switch deadline {
        case .head: head
        case .idle: idle
        case .rest: rest
        case .handshake: handshake
        case .answer: answer
        case .halfClosed: halfClosed
        case .linger: linger
        }
    }
}

/// The releases that a gate emulates: one for every client, or each client's own by its User-Agent.
///
/// Source of the guess: matomo-org/device-detector, ua-parser/uap-core; docs/law/profiles.md#darwin. Judges are made on
/// demand and kept. Their number, and that of remembered agents, is bounded, because clients write the agent.
final class SystemTable: Sendable {
    /// For clients whose release is unknown.
    let usual: ClientSystem
    private let guessesByAgent: Bool
    private let policyVersion: PolicyVersion
    private let cache = Mutex(Cache())

    private struct Cache {
        var byAgent = WeighedCache<String, ClientSystem>(
            .systems, limit: SystemTable.byteLimit, count: SystemTable.agentLimit)
        /// No more than there are profiles.
        var byProfile: [OSProfile: SystemPolicy] = [:]
    }

    init(judge: Judge, system: SystemSource, policyVersion: PolicyVersion) {
        self.policyVersion = policyVersion
        let policy = SystemPolicy(judge: judge, policyVersion: policyVersion)
        switch system {
        case .named:
            usual = ClientSystem(policy: policy, guess: nil)
            guessesByAgent = false
        case .guessed(let guess):
            usual = ClientSystem(policy: policy, guess: guess)
            guessesByAgent = true
        }
    }

    /// The release for an agent. Called when a client's User-Agent is first seen or changes, not for each load.
    func system(ofAgent agent: String?) -> ClientSystem {
        guard guessesByAgent, let agent else { return usual }
        if let known = cache.withLock({ $0.byAgent.value(for: agent) }) { return known }
        // Reading the agent and indexing a declaration take a while: not under the lock.
        let found =
            OSProfile.guess(userAgent: agent).map { ClientSystem(policy: policy(of: $0.profile), guess: $0) } ?? usual
        cache.withLock { $0.byAgent.keep(found, for: agent, bytes: agent.utf8.count + Self.guessBytes) }
        return found
    }

    /// The release for an agent and a hello. The hello is evidence, so it decides if the two contradict each other.
    func system(ofAgent agent: String?, hello: HelloReading?) -> ClientSystem {
        let found = system(ofAgent: agent)
        guard guessesByAgent, let hello, let guess = OSGuess(hello, against: found.policy.profile, found.guess) else {
            return found
        }
        return ClientSystem(policy: policy(of: guess.profile), guess: guess)
    }

    private func policy(of profile: OSProfile) -> SystemPolicy {
        let model = usual.policy.judge
        if profile == model.profile { return usual.policy }
        if let known = cache.withLock({ $0.byProfile[profile] }) { return known }
        let made = SystemPolicy(
            judge: Judge(declaration: model.declaration, profile: profile, switches: model.switches),
            policyVersion: policyVersion)
        return cache.withLock { cache in
            if let known = cache.byProfile[profile] { return known }
            if cache.byProfile.count >= Self.judgeLimit { cache.byProfile.removeAll(keepingCapacity: true) }
            cache.byProfile[profile] = made
            return made
        }
    }

    private static let agentLimit = 512
    private static let byteLimit = 1 << 20
    /// A guess quotes parts of the agent.
    private static let guessBytes = 512
    private static let judgeLimit = 64
}

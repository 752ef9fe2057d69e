public import ATSPolicy
import Bytes
import Records
import Synchronization
import Text

/// The ruling for one target and client. Loads, tunnels and links keep it to check that it is still current.
final class TargetRuling {
    let system: SystemPolicy
    let target: LoadTarget
    let requester: Requester
    let ruling: Ruling
    /// The permit to connect. If the ruling is a denial, this overrides it, for audit mode only.
    let permit: ConnectPermit
    /// The address that is dialed instead of the target's name; nil if the name is resolved.
    let place: OriginalDestination?
    /// Identifies the links that a load of this kind may use.
    let key: OriginLink.Key
    let policy: RecordedPolicy
    /// True if the target is the gate's own address.
    let isOwn: Bool
    /// The finding about a host name that does not decide alone, because the client was redirected from an address.
    let doubt: RecordedDiagnosis?
    /// The host's listing in the ruling's policy, once looked up.
    private var listing: HostListing?

    init(
        system: SystemPolicy, target: LoadTarget, requester: Requester, ruling: Ruling, policy: RecordedPolicy,
        isOwn: Bool, at place: OriginalDestination?
    ) {
        self.system = system
        self.target = target
        self.requester = requester
        self.ruling = ruling
        switch ruling {
        case .permit(let given): permit = given
        case .denial(let denial): permit = system.judge.permit(overriding: denial)
        }
        self.place = place
        key = OriginLink.Key(permit, at: place)
        self.policy = policy
        self.isOwn = isOwn
        doubt = place.flatMap { place in
            RedirectedName(target.host, at: place.address) == .trusted
                ? nil : RecordedDiagnosis(.otherAddress(place.host, than: target.host))
        }
    }

    /// True if ATS does not govern the client, so its rules do not apply to the load.
    var isOutside: Bool { requester.outside != nil }

    var isPermit: Bool {
        if case .permit = ruling { true } else { false }
    }

    /// The host's listing, remembered: looking a name up takes 10,000 instructions (callgrind).
    func listing(in policy: GatePolicy) -> HostListing {
        let found = listing ?? HostListing(target.host, in: policy)
        listing = found
        return found
    }

    /// True if an origin judged by one ruling is also judged by the other: the same policy with the same offer and
    /// demands.
    func isEquivalent(to other: TargetRuling) -> Bool {
        self === other || system === other.system && key == other.key
    }
}

/// The lists of hosts with special handling that a host is in.
struct HostListing {
    /// Its TLS is not decrypted.
    let isPassed: Bool
    /// Its TLS is not decrypted for clients on other machines.
    let isPassedForDevices: Bool
    /// Devices start Private Relay there, and the user did not name it as a passthrough.
    let isPrivateRelay: Bool

    init(_ host: String, in policy: GatePolicy) {
        isPassed = policy.passthrough.contains(host)
        isPassedForDevices = policy.devicePassthrough.contains(host)
        isPrivateRelay = AppleServices.isPrivateRelay(host) && !policy.passthrough.names(host)
    }
}

/// The latest rulings for the loads of one loop. Connections share a ruling and everything attached to it: finding one
/// costs less than making it, and records of one ruling share one policy.
struct RulingMemory {
    private struct Question: Hashable {
        let system: ObjectIdentifier
        let target: LoadTarget
        let requester: Requester
        let place: OriginalDestination?
    }

    private var answers = WeighedCache<Question, TargetRuling>(.rulings, limit: 1 << 20, count: RulingMemory.limit)

    /// - Parameters:
    ///   - system: of `policy`, which must be in force.
    ///   - place: the address that is dialed instead of the target's name.
    mutating func ruled(
        on target: LoadTarget, from requester: Requester, under system: SystemPolicy, of policy: GatePolicy,
        at place: OriginalDestination?
    ) -> TargetRuling {
        // The ruling keeps its system alive, so that no other object can get the same identity.
        let question = Question(system: ObjectIdentifier(system), target: target, requester: requester, place: place)
        if let known = answers.value(for: question) { return known }
        var ruling = requester.ruling(of: system.judge, on: target)
        if let place, RedirectedName(target.host, at: place.address) != .trusted {
            let dialed = LoadTarget(scheme: target.scheme, host: place.host, port: place.port)
            ruling = ruling.narrowed(to: requester.ruling(of: system.judge, on: dialed))
        }
        let declaration = system.judge.declaration
        let ruled = TargetRuling(
            system: system, target: target, requester: requester, ruling: ruling,
            policy: RecordedPolicy(
                source: declaration.source, bundleID: declaration.bundleID, os: system.profileName,
                basis: ruling.basis, line: ruling.basis.keyPath.flatMap { declaration.line(of: $0) },
                mode: policy.rules.mode.rawValue),
            isOwn: place.map { policy.owns($0.host, port: $0.port) } ?? policy.owns(target), at: place)
        answers.keep(ruled, for: question, bytes: target.host.utf8.count * 2 + Self.ruledBytes)
        return ruled
    }

    /// The maximum number of remembered rulings. Each keeps its system alive.
    private static let limit = 1_024
    /// The size of a ruling and its policy, without the host.
    private static let ruledBytes = 512
}

/// A host name that a redirected client gave for the connection, compared with the address that it dialed.
///
/// The name decides the ruling, without a DNS lookup. The exceptions are names that ATS treats more leniently than public
/// hosts: they never get a more lenient ruling than the address.
enum RedirectedName {
    /// A public name, or the dialed address itself.
    case trusted
    /// A name that is local on some release: without a dot, `*.local` or `*.localhost`.
    case local
    /// An address literal, in any spelling, that differs from the dialed address.
    case otherAddress

    init(_ name: String, at address: IPAddress) {
        let host = HostGrammar.normalized(name)
        if let literal = IPAddress(host: host) ?? Self.scopedAddress(host) {
            self = literal == address ? .trusted : .otherAddress
        } else if !host.utf8.contains(UInt8(ascii: ".")) || HostGrammar.isHost(host, below: "local")
            || HostGrammar.isHost(host, below: "localhost")
        {
            self = .local
        } else {
            self = .trusted
        }
    }

    /// The address of a literal with a zone, such as `fe80::1%en0` (RFC 6874).
    private static func scopedAddress(_ host: String) -> IPAddress? {
        host.utf8.firstIndex(of: UInt8(ascii: "%")).flatMap { IPAddress(host[..<$0]) }
    }
}

extension Finding {
    static func otherAddress(_ address: String, than name: String) -> Finding {
        seen(
            .clientAddress, "Local name or other address than the dialed one",
            expected: "a public name, or \(address)",
            observed: "The client connected to \(address) and asked for \(name).",
            source: "docs/transparent.md#names")
    }
}

/// One version of the policy, distinguished from others by identity: each reload makes a new one.
final class PolicyVersion: Sendable {}

/// The policy for one emulated release. Made once per release and ``GatePolicy``, so that judged objects can be
/// compared by identity.
public final class SystemPolicy: Sendable {
    public let judge: Judge
    /// The version of the policy that this belongs to.
    let policyVersion: PolicyVersion
    /// The release's name in records.
    let profileName: String

    init(judge: Judge, policyVersion: PolicyVersion) {
        self.judge = judge
        self.policyVersion = policyVersion
        profileName = judge.profile.name
    }

    public var profile: OSProfile { judge.profile }
}

/// A client's release and the source of the guess.
struct ClientSystem: Sendable {
    let policy: SystemPolicy
    /// nil if the release was named by the user.
    let guess: OSGuess?
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

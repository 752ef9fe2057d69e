public import ATSPolicy
import Bytes
import Records
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

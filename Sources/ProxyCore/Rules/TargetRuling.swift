import ATSPolicy
import Bytes
import Records
import Text

/// The law's answer for one target and one asker: what a load, a tunnel, a link and a remembered verdict are judged by,
/// and keep, so that each use of them can tell whether it still holds.
final class TargetRuling {
    let system: SystemPolicy
    let target: LoadTarget
    let requester: Requester
    let ruling: Ruling
    /// What to connect with. Where the law denies the load, this sets that aside: for audit mode alone.
    let permit: ConnectPermit
    /// The address that is dialed whatever the target's name; nil where the name leads.
    let place: OriginalDestination?
    /// Which links a load of this kind may use.
    let key: OriginLink.Key
    let policy: RecordedPolicy
    /// It is the gate's own address.
    let isOwn: Bool
    /// Of the policy that this is of, once it is asked for.
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
        case .denial(let denial): permit = system.judge.setAside(denial)
        }
        self.place = place
        key = OriginLink.Key(permit, at: place)
        self.policy = policy
        self.isOwn = isOwn
    }

    /// ATS does not govern who asks, so that nothing of it stands against the load.
    var isOutside: Bool { requester.outside != nil }

    var isPermit: Bool {
        if case .permit = ruling { true } else { false }
    }

    /// Where its host is listed. Remembered: looking a name up takes 10,000 instructions (callgrind).
    func listing(in policy: GatePolicy) -> HostListing {
        let found = listing ?? HostListing(target.host, in: policy)
        listing = found
        return found
    }

    /// Whether an origin that was judged by the other answer is judged by this one, too: the same law offers it the same
    /// and asks the same of it.
    func asksTheSame(as other: TargetRuling) -> Bool {
        self === other || system === other.system && key == other.key
    }
}

/// Where a host is listed that is not treated as others are.
struct HostListing {
    /// Its TLS is not opened.
    let isPassed: Bool
    /// The same for clients that are not on this machine.
    let isPassedForDevices: Bool
    /// It is where devices begin Private Relay, and nobody has named it to be passed through.
    let isPrivateRelay: Bool

    init(_ host: String, in policy: GatePolicy) {
        isPassed = policy.passthrough.contains(host)
        isPassedForDevices = policy.devicePassthrough.contains(host)
        isPrivateRelay = AppleServices.isPrivateRelay(host) && !policy.passthrough.names(host)
    }
}

extension SessionContext {
    /// The same law's answer for another host.
    func ruled(on target: LoadTarget, like ruled: TargetRuling) -> TargetRuling {
        guard target != ruled.target else { return ruled }
        return loop.rulings.ruled(
            on: target, from: ruled.requester, under: ruled.system, of: loop.policy, at: ruled.place)
    }
}

/// The law's answers that loads of one loop got last. Those of other connections share them with all that hangs on them,
/// for finding one costs less than making it, and records of one answer have one policy.
struct RulingMemory {
    private struct Question: Hashable {
        let system: ObjectIdentifier
        let target: LoadTarget
        let requester: Requester
        let place: OriginalDestination?
    }

    private var answers = WeighedCache<Question, TargetRuling>(.rulings, limit: 1 << 20, count: RulingMemory.limit)

    /// - Parameters:
    ///   - system: of `policy`, the one in force.
    ///   - place: the address that is dialed whatever the target's name.
    mutating func ruled(
        on target: LoadTarget, from requester: Requester, under system: SystemPolicy, of policy: GatePolicy,
        at place: OriginalDestination?
    ) -> TargetRuling {
        // The answer holds its system, so that no other one can get its identity.
        let question = Question(system: ObjectIdentifier(system), target: target, requester: requester, place: place)
        if let known = answers.value(for: question) { return known }
        let ruling = requester.ruling(of: system.judge, on: target)
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

    /// Answers that are remembered at most. Each keeps its system alive.
    private static let limit = 1_024
    /// An answer and its policy, but the host.
    private static let ruledBytes = 512
}

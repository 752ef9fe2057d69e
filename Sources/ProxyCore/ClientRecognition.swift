import ATSPolicy
import HTTPWire
import Records

/// Who a client is, told by its place and the heads that it sends, and the law's answers for what it asked last.
struct ClientRecognition {
    let place: ClientPlace
    private(set) var card: ClientCard
    private var system: ClientSystem
    /// The policy that `system` was taken from.
    private var policy: GatePolicy
    private var lastRuled: Ruled?

    init(_ place: ClientPlace, under policy: GatePolicy) {
        self.place = place
        self.policy = policy
        system = policy.systems(for: place).usual
        card = Self.card(place, agent: nil, policy: policy, system: system)
    }

    /// Takes note of who sent a head: its User-Agent tells which part of a system is asking.
    mutating func read(_ head: RequestHead, under policy: GatePolicy) {
        let agent = head.fields.value(of: .userAgent)
        guard agent != card.userAgent || self.policy !== policy else { return }
        recognize(agent: agent, under: policy)
    }

    /// The law of this client's system, under the policy in force.
    mutating func system(under policy: GatePolicy) -> SystemPolicy {
        if self.policy !== policy { recognize(agent: card.userAgent, under: policy) }
        return system.policy
    }

    /// The law's answer for a target, remembered for the next load of this connection.
    mutating func ruled(on target: LoadTarget, under policy: GatePolicy) -> Ruled {
        let system = system(under: policy)
        let loader = card.loader
        if let lastRuled, lastRuled.system === system, lastRuled.target == target, lastRuled.loader == loader {
            return lastRuled
        }
        let ruling = system.judge.rule(on: target, loader: loader)
        let declaration = system.judge.declaration
        let ruled = Ruled(
            system: system, target: target, loader: loader, ruling: ruling,
            policy: PolicyCard(
                source: declaration.source, bundleID: declaration.bundleID, os: system.profileName,
                basis: ruling.basis, line: ruling.basis.keyPath.flatMap { declaration.line(of: $0) },
                mode: policy.mode.rawValue),
            isOwn: policy.owns(target))
        lastRuled = ruled
        return ruled
    }

    private mutating func recognize(agent: String?, under policy: GatePolicy) {
        self.policy = policy
        system = policy.systems(for: place).system(ofAgent: agent)
        card = Self.card(place, agent: agent, policy: policy, system: system)
    }

    private static func card(
        _ place: ClientPlace, agent: String?, policy: GatePolicy, system: ClientSystem
    ) -> ClientCard {
        ClientCard(
            address: place.address, label: place.label, userAgent: agent,
            loader: place.assumedLoader ?? policy.assumedLoader ?? Loader(userAgent: agent),
            os: system.policy.profile.name, osEvidence: system.guess?.evidence, osNotes: system.guess?.notes ?? [])
    }
}

/// The law's answer for one target.
final class Ruled {
    let system: SystemPolicy
    let target: LoadTarget
    let loader: Loader
    let ruling: Ruling
    let policy: PolicyCard
    /// It is the gate's own address.
    let isOwn: Bool

    init(
        system: SystemPolicy, target: LoadTarget, loader: Loader, ruling: Ruling, policy: PolicyCard, isOwn: Bool
    ) {
        self.system = system
        self.target = target
        self.loader = loader
        self.ruling = ruling
        self.policy = policy
        self.isOwn = isOwn
    }

    var isPermit: Bool {
        if case .permit = ruling { true } else { false }
    }
}

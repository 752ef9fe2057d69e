import ATSPolicy
import HTTPWire
import Records

/// The client, as recognized by its address and its requests' heads, with the latest ruling.
struct ClientRecognition {
    let place: ClientSource
    private(set) var client: RecordedClient
    private var requester: Requester
    private var system: ClientSystem
    /// The policy that `system` belongs to.
    private var policy: GatePolicy
    private var lastRuled: TargetRuling?

    init(_ place: ClientSource, under policy: GatePolicy) {
        self.place = place
        self.policy = policy
        system = policy.systems(for: place).usual
        (client, requester) = Self.recognized(place, agent: nil, policy: policy, system: system)
    }

    /// Updates the client from a head: its User-Agent shows the loader.
    mutating func read(_ head: RequestHead, under policy: GatePolicy) {
        let agent = head.fields.value(of: .userAgent)
        guard agent != client.userAgent || self.policy !== policy else { return }
        recognize(agent: agent, under: policy)
    }

    /// The policy for this client's release, from the gate policy in force.
    mutating func system(under policy: GatePolicy) -> SystemPolicy {
        if self.policy !== policy { recognize(agent: client.userAgent, under: policy) }
        return system.policy
    }

    /// The ruling for a target, remembered for the next load of this connection.
    mutating func ruled(on target: LoadTarget, in loop: LoopContext) -> TargetRuling {
        let system = system(under: loop.policy)
        if let lastRuled, lastRuled.system === system, lastRuled.target == target, lastRuled.requester == requester {
            return lastRuled
        }
        let ruled = loop.rulings.ruled(
            on: target, from: requester, under: system, of: loop.policy, at: place.original)
        lastRuled = ruled
        return ruled
    }

    /// The client and the current ruling for an earlier load, which was sent by `agent`.
    func ruled(on target: LoadTarget, ofAgent agent: String?, in loop: LoopContext) -> (RecordedClient, TargetRuling) {
        let policy = loop.policy
        let system = policy.systems(for: place).system(ofAgent: agent)
        let (client, requester) = Self.recognized(place, agent: agent, policy: policy, system: system)
        let ruled = loop.rulings.ruled(
            on: target, from: requester, under: system.policy, of: policy, at: place.original)
        return (client, ruled)
    }

    private mutating func recognize(agent: String?, under policy: GatePolicy) {
        self.policy = policy
        system = policy.systems(for: place).system(ofAgent: agent)
        (client, requester) = Self.recognized(place, agent: agent, policy: policy, system: system)
    }

    private static func recognized(
        _ place: ClientSource, agent: String?, policy: GatePolicy, system: ClientSystem
    ) -> (RecordedClient, Requester) {
        let reading = policy.rules.clients.reading(of: agent, from: place)
        let client = RecordedClient(
            address: place.address, label: place.label, userAgent: agent, loader: reading.loader,
            assumed: reading.program, os: system.policy.profile.name, osEvidence: system.guess?.evidence,
            osNotes: system.guess?.notes ?? [])
        let outside = policy.rules.clients.outsideCause(of: reading, from: place)
        return (client.entering(by: place.entrance), Requester(reading, outside: outside))
    }
}

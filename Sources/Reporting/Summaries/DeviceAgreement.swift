import ATSPolicy
public import Records

/// What a gate in witness mode predicted, held against what devices did: the one count that the end of a run and every
/// report of its recording tell.
///
/// One device's connections to one origin count as one: a device that tries again, races addresses, or opens connections
/// that it does not use, has accepted an origin as soon as it has used one of them. That one's verdict is then compared.
public struct DeviceAgreement: Sendable {
    /// How both compare. Raw values are shown.
    public enum Answer: String, Sendable, Hashable, CaseIterable {
        case agree
        case stricter = "gate stricter"
        case laxer = "gate laxer"
        case unknown = "cannot tell"
    }

    private struct Place: Hashable {
        let client: String
        let label: String?
        let agent: String?
        let origin: String
    }

    private struct Tally {
        private(set) var counts: [RecordedDevice.Outcome: Int] = [:]
        /// The first connection that ended so.
        private var firsts: [RecordedDevice.Outcome: WitnessedLoad] = [:]

        mutating func add(_ load: WitnessedLoad) {
            counts[load.device.outcome, default: 0] += 1
            if firsts[load.device.outcome] == nil { firsts[load.device.outcome] = load }
        }

        var outcome: RecordedDevice.Outcome {
            [.accepted, .refused, .failed].first { counts[$0] != nil } ?? .unknown
        }

        /// The connection that decides the outcome: it is its verdict that is held against that.
        var decisive: WitnessedLoad? { firsts[outcome] }
    }

    private var tallies: [Place: Tally] = [:]
    private var places: [Place] = []
    private(set) var connections = 0
    /// Those of origins that there was no more room for.
    private(set) var uncounted = 0

    public init() {}

    /// Takes a load in that is about to be filed; one that was not witnessed is passed over.
    public mutating func add(_ record: LoadRecord) {
        if let load = WitnessedLoad(record) { add(load) }
    }

    mutating func add(_ load: WitnessedLoad) {
        let place = Place(client: load.client, label: load.label, agent: load.agent, origin: load.origin)
        if tallies[place] == nil {
            guard places.count < Self.mostPlaces else {
                uncounted += 1
                return
            }
            places.append(place)
        }
        connections += 1
        tallies[place, default: Tally()].add(load)
    }

    /// Whoever asks writes the host.
    private static let mostPlaces = 4_096
}

// MARK: - What came of it

extension DeviceAgreement {
    /// An origin with which a device did other than the gate said.
    struct Difference: Sendable, Hashable {
        let answer: Answer
        let origin: String
        let predicted: Verdict
        /// The rule that decided; nil where the load was allowed.
        let rule: String?
        /// The device's label, or its address and, where that is not enough, the program.
        let device: String
        let did: WitnessedLoad.Device
        /// How many of how many connections ended so.
        let connections: Int
        let ofConnections: Int
    }

    /// How many origins there are of each answer, each counted once for each device.
    public var counts: [Answer: Int] {
        var counts: [Answer: Int] = [:]
        for place in places { counts[answer(at: place), default: 0] += 1 }
        return counts
    }

    /// A device did other than the gate said.
    public var differs: Bool { places.contains { [.stricter, .laxer].contains(answer(at: $0)) } }

    /// No connection was witnessed.
    var isEmpty: Bool { places.isEmpty }

    /// Each counted once for each device.
    var origins: Int { places.count }

    /// A client of SOCKS tells its program in the clear alone, and is no other device for that.
    var devices: Int {
        let agents = Dictionary(grouping: places) { [$0.client, $0.label] }
        return agents.values.reduce(0) { $0 + max(1, Set($1.compactMap(\.agent)).count) }
    }

    /// By origin and device.
    var differences: [Difference] {
        let isOneProgram = Set(places.map(\.agent)).count <= 1
        return places.filter { [.stricter, .laxer].contains(answer(at: $0)) }
            .sorted { ($0.origin, $0.client, $0.agent ?? "") < ($1.origin, $1.client, $1.agent ?? "") }
            .compactMap { place in
                guard let tally = tallies[place], let load = tally.decisive else { return nil }
                return Difference(
                    answer: answer(at: place), origin: place.origin, predicted: load.verdict, rule: load.decidingRule,
                    device: Self.device(at: place, isOneProgram: isOneProgram), did: load.device,
                    connections: tally.counts[tally.outcome] ?? 0, ofConnections: tally.counts.values.reduce(0, +))
            }
    }

    /// Why nothing can be said of origins, by what was seen: the most frequent first.
    var reasons: [(why: String, origins: Int)] {
        var reasons: [String: Int] = [:]
        for place in places where answer(at: place) == .unknown {
            let load = tallies[place]?.decisive
            let seen = load?.device.outcome == .unknown ? load?.device.how : load?.decidingRule
            reasons[load?.verdict == .outside ? "outside ATS" : seen ?? "unsaid", default: 0] += 1
        }
        return reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { (why: $0.key, origins: $0.value) }
    }

    private func answer(at place: Place) -> Answer {
        guard let load = tallies[place]?.decisive else { return .unknown }
        let loads: Bool? =
            switch load.verdict {
            case .allowed: true
            case .blocked, .wouldBlock: false
            // Of the origin's TLS a device has its own view; of the network, or of the gate itself, none that is seen.
            case .failed: load.decidingRule.flatMap(RuleCategory.init(ofRule:)) == .tls ? false : nil
            case .outside: nil
            }
        switch (loads, load.device.outcome) {
        case (true, .accepted), (false, .refused), (false, .failed): return .agree
        case (true, .refused), (true, .failed): return .laxer
        case (false, .accepted): return .stricter
        case (nil, _), (_, .unknown): return .unknown
        }
    }

    private static func device(at place: Place, isOneProgram: Bool) -> String {
        if let label = place.label { return label }
        guard !isOneProgram, let products = place.agent?.split(separator: " ") else { return place.client }
        // Browsers all begin like Mozilla, and end with their own product.
        let product = products.first?.hasPrefix("Mozilla/") == true ? products.last : products.first
        return "\(place.client) \(product.map(String.init) ?? "")"
    }
}

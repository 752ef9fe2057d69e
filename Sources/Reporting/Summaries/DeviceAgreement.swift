import ATSPolicy
public import Records

/// What a gate in witness mode predicted, held against what devices did.
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

    /// The first connection that ended in one way.
    private struct First {
        /// How that was told, with its confidence.
        let sign: String
        let verdict: Verdict
        /// Of what stands against the load.
        let rule: RuleID?

        init(_ record: LoadRecord, _ device: RecordedDevice) {
            sign = "\(device.how ?? "unsaid"), \(device.confidence.rawValue)"
            verdict = record.verdict
            rule = record.verdict == .allowed ? nil : record.diagnosis?.rule
        }
    }

    private struct Tally {
        private(set) var counts: [RecordedDevice.Outcome: Int] = [:]
        private var firsts: [RecordedDevice.Outcome: First] = [:]

        mutating func add(_ record: LoadRecord, _ device: RecordedDevice) {
            counts[device.outcome, default: 0] += 1
            if firsts[device.outcome] == nil { firsts[device.outcome] = First(record, device) }
        }

        var outcome: RecordedDevice.Outcome {
            [.accepted, .refused, .failed].first { counts[$0] != nil } ?? .unknown
        }

        /// The connection that decides the outcome: it is its verdict that is held against that.
        var decisive: First? { firsts[outcome] }
    }

    private var tallies: [Place: Tally] = [:]
    private var places: [Place] = []
    private var connections = 0
    /// Those of origins that there was no more room for.
    private var uncounted = 0

    public init() {}

    /// Takes a load in that is about to be filed; one of which nobody knows what the device did is passed over.
    public mutating func add(_ record: LoadRecord) {
        guard let device = record.device else { return }
        let place = Place(
            client: record.client.host, label: record.client.label, agent: record.client.userAgent,
            origin: record.load.target.origin)
        if tallies[place] == nil {
            guard places.count < Self.mostPlaces else {
                uncounted += 1
                return
            }
            places.append(place)
        }
        connections += 1
        tallies[place, default: Tally()].add(record, device)
    }

    /// How many origins there are of each answer, each counted once for each device.
    public var counts: [Answer: Int] {
        var counts: [Answer: Int] = [:]
        for place in places { counts[answer(at: place), default: 0] += 1 }
        return counts
    }

    private func answer(at place: Place) -> Answer {
        guard let tally = tallies[place], let decisive = tally.decisive else { return .unknown }
        let loads: Bool? =
            switch decisive.verdict {
            case .allowed: true
            case .blocked, .wouldBlock: false
            // Of the origin's TLS a device has its own view; of the network, or of the gate itself, none that is seen.
            case .failed: decisive.rule?.category == .tls ? false : nil
            case .outside: nil
            }
        switch (loads, tally.outcome) {
        case (true, .accepted), (false, .refused), (false, .failed): return .agree
        case (true, .refused), (true, .failed): return .laxer
        case (false, .accepted): return .stricter
        case (nil, _), (_, .unknown): return .unknown
        }
    }

    // MARK: In words

    /// How many agree, then a line for each difference, then what cannot be told, and why.
    public var lines: [String] {
        let counts = counts
        let parts = Answer.allCases.compactMap { answer in counts[answer].map { "\($0) \(answer.rawValue)" } }
        let devices = Set(places.map { [$0.client, $0.label, $0.agent] }).count
        let head =
            "witness: \(Self.number(of: places.count, "origin")) of \(Self.number(of: devices, "device")), "
            + "\(Self.number(of: connections, "connection"))"
        var lines = [parts.isEmpty ? "witness: no load came through" : "\(head): \(parts.joined(separator: ", "))"]
        lines += differences
        if let unknown = reasons { lines.append("  cannot tell: \(unknown)") }
        if uncounted > 0 {
            lines.append("  \(Self.number(of: uncounted, "connection")) of still other origins: not counted")
        }
        return lines
    }

    private var differences: [String] {
        let differing = places.filter { [.stricter, .laxer].contains(answer(at: $0)) }
            .sorted { ($0.origin, $0.client, $0.agent ?? "") < ($1.origin, $1.client, $1.agent ?? "") }
        let more = differing.count - Self.mostLines
        return differing.prefix(Self.mostLines).map { place in
            let tally = tallies[place]
            let outcome = tally?.outcome ?? .unknown
            let decisive = tally?.decisive
            let predicted = (decisive?.verdict.rawValue ?? "") + (decisive?.rule.map { " (\($0.rawValue))" } ?? "")
            let seen = "\(outcome.rawValue) (\(decisive?.sign ?? "")) \(count(of: outcome, at: place))"
            return
                "  \(answer(at: place).rawValue): \(place.origin) predicted \(predicted), \(device(at: place)) \(seen)"
        } + (more > 0 ? ["  and \(more) more: atsgate report --format jsonl has all"] : [])
    }

    /// How many of how many connections ended so.
    private func count(of outcome: RecordedDevice.Outcome, at place: Place) -> String {
        let counts = tallies[place]?.counts ?? [:]
        return "\(counts[outcome] ?? 0) of \(counts.values.reduce(0, +))"
    }

    /// Its label, or its address and, where that is not enough, the program.
    private func device(at place: Place) -> String {
        if let label = place.label { return label }
        guard Set(places.map(\.agent)).count > 1, let products = place.agent?.split(separator: " ") else {
            return place.client
        }
        // Browsers all begin like Mozilla, and end with their own product.
        let product = products.first?.hasPrefix("Mozilla/") == true ? products.last : products.first
        return "\(place.client) \(product.map(String.init) ?? "")"
    }

    /// What nothing can be said of, by what was seen.
    private var reasons: String? {
        var reasons: [String: Int] = [:]
        for place in places where answer(at: place) == .unknown {
            let tally = tallies[place]
            let decisive = tally?.decisive
            let why =
                decisive?.verdict == .outside
                ? "outside ATS" : tally?.outcome == .unknown ? decisive?.sign : decisive?.rule?.rawValue
            reasons[why?.split(separator: ",").first.map(String.init) ?? "unsaid", default: 0] += 1
        }
        let told = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }
        return told.isEmpty ? nil : told.joined(separator: ", ")
    }

    private static func number(of count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// Whoever asks writes the host.
    private static let mostPlaces = 4_096
    private static let mostLines = 200
}

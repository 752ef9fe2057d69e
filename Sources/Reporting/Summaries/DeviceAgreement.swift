import ATSPolicy
public import Records
import Text

/// Compares the predictions of a gate in witness mode with what devices did. The end of a run and every report use this
/// one count.
///
/// All connections of one device to one origin count as one. A device may retry, race addresses, or open spare
/// connections, so it has accepted an origin once it has used any connection. That connection's verdict is then
/// compared.
public struct DeviceAgreement: Sendable {
    /// The result of a comparison. Raw values are shown to users.
    public enum Answer: String, Sendable, Hashable, CaseIterable {
        case agree
        case stricter = "gate stricter"
        case laxer = "gate laxer"
        case unknown = "cannot tell"
    }

    private struct Subject: Hashable {
        let client: String
        let label: String?
        let agent: String?
        let origin: String
    }

    private struct Tally {
        private(set) var counts: [RecordedDevice.Outcome: Int] = [:]
        /// The first connection with each outcome.
        private var firsts: [RecordedDevice.Outcome: LoadRecord] = [:]

        mutating func add(_ record: LoadRecord, _ outcome: RecordedDevice.Outcome) {
            counts[outcome, default: 0] += 1
            if firsts[outcome] == nil { firsts[outcome] = record }
        }

        var outcome: RecordedDevice.Outcome {
            [.accepted, .refused, .failed].first { counts[$0] != nil } ?? .unknown
        }

        /// The connection that decides the outcome. Its verdict is compared with the outcome.
        var decisive: LoadRecord? { firsts[outcome] }
    }

    private var tallies: [Subject: Tally] = [:]
    private var places: [Subject] = []
    private(set) var connections = 0
    /// Connections to origins beyond the limit.
    private(set) var uncounted = 0

    public init() {}

    /// Adds a load. Ignores one that was not witnessed.
    public mutating func add(_ record: LoadRecord) {
        guard let device = record.device, record.policy.mode == RecordingOverview.Mode.witness.rawValue else { return }
        let client = record.client
        let place = Subject(
            client: client.host, label: client.label, agent: client.userAgent, origin: record.load.target.origin)
        if tallies[place] == nil {
            guard places.count < Self.mostPlaces else {
                uncounted += 1
                return
            }
            places.append(place)
        }
        connections += 1
        tallies[place, default: Tally()].add(record, device.outcome)
    }

    /// A limit, because clients choose the host.
    private static let mostPlaces = 4_096
}

// MARK: - Results

extension DeviceAgreement {
    /// An origin that a device treated differently from the gate's prediction.
    struct Difference: Sendable, Hashable {
        let answer: Answer
        let origin: String
        let predicted: Verdict
        /// The rule that decided; nil if the load was allowed.
        let rule: String?
        /// The device's label, or its address and, if that is ambiguous, the program.
        let device: String
        let did: RecordedDevice
        /// The number of connections with this outcome, and of all.
        let connections: Int
        let ofConnections: Int
    }

    /// The number of origins by answer, each counted once for each device.
    public var counts: [Answer: Int] {
        var counts: [Answer: Int] = [:]
        for place in places { counts[answer(at: place), default: 0] += 1 }
        return counts
    }

    /// True if a device did something else than predicted.
    public var differs: Bool { places.contains { [.stricter, .laxer].contains(answer(at: $0)) } }

    /// True if no connection was witnessed.
    var isEmpty: Bool { places.isEmpty }

    /// The number of origins, each counted once for each device.
    var origins: Int { places.count }

    /// The number of devices. A SOCKS client shows its program only in cleartext, so a missing one does not count as
    /// another device.
    var devices: Int {
        let agents = Dictionary(grouping: places) { [$0.client, $0.label] }
        return agents.values.reduce(0) { $0 + max(1, Set($1.compactMap(\.agent)).count) }
    }

    /// All differences, sorted by origin and device.
    var differences: [Difference] {
        let isOneProgram = Set(places.map(\.agent)).count <= 1
        return places.filter { [.stricter, .laxer].contains(answer(at: $0)) }
            .sorted { ($0.origin, $0.client, $0.agent ?? "") < ($1.origin, $1.client, $1.agent ?? "") }
            .compactMap { place in
                guard let tally = tallies[place], let load = tally.decisive, let did = load.device else { return nil }
                return Difference(
                    answer: answer(at: place), origin: place.origin, predicted: load.verdict, rule: load.decidingRule,
                    device: Self.device(at: place, isOneProgram: isOneProgram), did: did,
                    connections: tally.counts[tally.outcome] ?? 0, ofConnections: tally.counts.values.reduce(0, +))
            }
    }

    /// The reasons why an answer is unknown, the most frequent first.
    var reasons: [(why: String, origins: Int)] {
        var reasons: [String: Int] = [:]
        for place in places where answer(at: place) == .unknown {
            let load = tallies[place]?.decisive
            let seen = load?.device?.outcome == .unknown ? load?.device?.how : load?.decidingRule
            reasons[load?.verdict == .outside ? "outside ATS" : seen ?? "unsaid", default: 0] += 1
        }
        return reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { (why: $0.key, origins: $0.value) }
    }

    private func answer(at place: Subject) -> Answer {
        guard let load = tallies[place]?.decisive, let device = load.device else { return .unknown }
        let loads: Bool? =
            switch load.verdict {
            case .allowed: true
            case .blocked, .wouldBlock: false
            // A device has its own view of the origin's TLS. Its view of the network, or of the gate, is not visible
            // here.
            case .failed: load.decidingRule.flatMap(RuleCategory.init(ofRule:)) == .tls ? false : nil
            case .outside: nil
            }
        switch (loads, device.outcome) {
        case (true, .accepted), (false, .refused), (false, .failed): return .agree
        case (true, .refused), (true, .failed): return .laxer
        case (false, .accepted): return .stricter
        case (nil, _), (_, .unknown): return .unknown
        }
    }

    private static func device(at place: Subject, isOneProgram: Bool) -> String {
        if let label = place.label { return label }
        guard !isOneProgram, let products = place.agent?.split(separator: " ") else { return place.client }
        // All browsers begin with Mozilla and end with their own product.
        let product = products.first?.hasPrefix("Mozilla/") == true ? products.last : products.first
        return "\(place.client) \(product.map(String.init) ?? "")"
    }
}

extension LoadRecord {
    /// The rule, if it decided against the load.
    fileprivate var decidingRule: String? { self.verdict == .allowed ? nil : self.rule?.rawValue }
}

extension DeviceAgreement {
    /// The number of agreements, then a line for each difference, then what is unknown and why.
    public var lines: [String] {
        let more = differences.count - Self.mostLines
        var lines = ["witness: \(isEmpty ? "no load came through" : "\(scope): \(answers)")"]
        lines += differences.prefix(Self.mostLines).map { difference in
            "  \(difference.answer.rawValue): \(difference.origin) predicted \(difference.prediction), "
                + "\(difference.device) \(difference.did.outcome.rawValue) (\(difference.did.how ?? "unknown"), "
                + "\(difference.did.confidence.rawValue)) \(difference.share)"
        }
        if more > 0 { lines.append("  and \(more) more: see atsgate report --format json") }
        if let reasonWords { lines.append("  cannot tell: \(reasonWords)") }
        if let uncountedWords { lines.append("  \(uncountedWords)") }
        return lines
    }

    /// For example `82 origins of 1 device, 82 connections`.
    var scope: String {
        "\(Self.number(of: origins, "origin")) of \(Self.number(of: devices, "device")), "
            + Self.number(of: connections, "connection")
    }

    /// For example `50 agree, 2 gate laxer`.
    var answers: String {
        let counts = counts
        return Answer.allCases.compactMap { answer in counts[answer].map { "\($0) \(answer.rawValue)" } }
            .joined(separator: ", ")
    }

    /// For example `5 no-hello, 4 outside ATS`; nil if nothing is unknown.
    var reasonWords: String? {
        let words = reasons.map { "\($0.origins) \($0.why)" }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// The connections that were not counted for lack of room; nil if there are none.
    var uncountedWords: String? {
        uncounted > 0 ? "\(Self.number(of: uncounted, "connection")) of further origins: not counted" : nil
    }

    private static func number(of count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// The most differences that a text lists.
    static let mostLines = 200
}

extension DeviceAgreement.Difference {
    /// For example `would block (ats.forward-secrecy)`.
    var prediction: String { predicted.words + (rule.map { " (\($0))" } ?? "") }

    /// For example `1 of 2` connections.
    var share: String { "\(connections) of \(ofConnections)" }
}

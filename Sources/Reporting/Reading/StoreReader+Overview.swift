import Foundation
import Records

extension StoreReader {
    /// The recordings, the most recently used one last. Reads forms, not loads.
    ///
    /// - Parameters:
    ///   - name: the name of one recording; nil for all.
    ///   - withSizes: also reads each load, to sum up sizes.
    public func overviews(of name: String? = nil, withSizes: Bool = false) throws -> [RecordingOverview] {
        try read { view in
            var parts: [String: OverviewParts] = [:]
            for tally in try view.tallies().counted where name == nil || name == tally.key.recording {
                parts[tally.key.recording, default: OverviewParts()].add(tally)
            }
            let sizes = withSizes ? try view.entryBytes(of: name) : nil
            try view.forEachForm { number, recording, host, text in
                parts[recording]?.addForm(host: host, text: text, entryBytes: sizes.map { $0[number] ?? 0 })
            }
            return parts.map { $1.overview(named: $0) }.sorted {
                ($0.last, $0.first, $0.name) < ($1.last, $1.first, $1.name)
            }
        }
    }
}

/// An overview while it is built from a recording's rows.
private struct OverviewParts {
    private var bytes: Int64?
    private var counts: [Verdict: Int] = [:]
    private var first = Int64.max
    private var last = Int64.min
    private var hosts: Set<String> = []
    private var policies = OrderedNames()
    private var sources: Set<String?> = []
    private var systems = OrderedNames()
    private var labels = OrderedNames()
    private var modes: Set<RecordingOverview.Mode> = []

    mutating func add(_ tally: StoreTally) {
        if let verdict = Verdict(rawValue: tally.key.verdict), tally.loads > 0 {
            counts[verdict, default: 0] += Int(tally.loads)
        }
        first = min(first, tally.times.first)
        last = max(last, tally.times.last)
    }

    /// - Parameter entryBytes: nil if sizes are not requested.
    mutating func addForm(host: String, text: String, entryBytes: Int64?) {
        hosts.insert(host)
        if let entryBytes { bytes = (bytes ?? 0) + entryBytes + Int64(text.utf8.count) }
        guard let law = FormHeader(text) else { return }
        policies.add((law.policy.source ?? "secure defaults") + (law.policy.bundleID.map { " (\($0))" } ?? ""))
        sources.insert(law.policy.source)
        systems.add(law.policy.os)
        if let mode = law.policy.mode.flatMap(RecordingOverview.Mode.init(rawValue:)) { modes.insert(mode) }
        if let label = law.client.label { labels.add(label) }
    }

    func overview(named name: String) -> RecordingOverview {
        RecordingOverview(
            name: name, first: first, last: last, counts: counts, hosts: hosts.count, policies: policies.names,
            sources: sources, systems: systems.names, labels: labels.names, recordedModes: modes, bytes: bytes)
    }
}

/// The client and the rules in a form, without any blanks among them.
private struct FormHeader: Decodable {
    let client: Client
    let policy: Policy

    struct Client: Decodable {
        let label: String?
    }

    struct Policy: Decodable {
        let source: String?
        let bundleID: String?
        let os: String
        let mode: String?
    }

    /// - Returns: nil if the form is not JSON once its blanks are removed.
    init?(_ text: String) {
        var json: [UInt8] = []
        json.reserveCapacity(text.utf8.count + 64)
        for byte in text.utf8 {
            guard byte == RecordForm.blank else {
                json.append(byte)
                continue
            }
            // null if the blank is a whole value; others are within a string, or for an optional key.
            if let last = json.last, valueStarts.contains(last) { json.append(contentsOf: "null".utf8) }
        }
        guard let law = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        self = law
    }
}

private let valueStarts = Set(":,[".utf8)

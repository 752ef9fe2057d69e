import GRDB
public import Records

/// One recording of a store, in brief.
public struct RecordingSummary: Sendable, Hashable {
    public let name: String
    public let loads: Int
    /// When the first and the last load began, in milliseconds since 1970-01-01 UTC; when the recording began if it has
    /// none.
    public let first: Int64
    public let last: Int64

    public init(name: String, loads: Int, first: Int64, last: Int64) {
        self.name = name
        self.loads = loads
        self.first = first
        self.last = last
    }
}

/// One recording of a store: its loads, clients and rules at a glance.
public struct RecordingOverview: Sendable, Hashable {
    /// How loads that break the rules were treated. Raw values are those of `--mode`, and one for device logs.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        case enforce, audit, witness
        /// From an imported log of what a device did, without a gate.
        case device
    }

    public let name: String
    /// When it began, with its gate or its first load, and when its last load began, in milliseconds since 1970-01-01
    /// UTC.
    public let first: Int64
    public let last: Int64
    /// The number of loads by verdict; verdicts that did not occur are left out.
    public let counts: [Verdict: Int]
    /// The number of hosts.
    public let hosts: Int
    /// Names of the dictionaries' files, or `secure defaults`, followed by the bundle identifier.
    public let policies: [String]
    /// Paths of these files as they were given; nil for the secure defaults.
    public let sources: Set<String?>
    /// Names of the emulated releases.
    public let systems: [String]
    /// Labels of the listeners that were used.
    public let labels: [String]
    /// The modes that its records contain.
    let recordedModes: Set<Mode>
    /// The size of its loads and shared rows, without diagnoses, handshakes and indexes; nil if it was not requested.
    public let bytes: Int64?

    public var loads: Int { counts.values.reduce(0, +) }

    /// The modes; several if the name was used with several. Blocked loads imply one.
    public var modes: Set<Mode> {
        recordedModes.union(
            (counts[.blocked] == nil || recordedModes == [.device] ? [] : [.enforce])
                + (counts[.wouldBlock] == nil || recordedModes.contains(.witness) ? [] : [.audit]))
    }
}

extension StoreReader {
    /// All recordings, the most recently used one last. A name may be used again.
    public func recordings() throws -> [RecordingSummary] {
        try read(.recordings) { view in
            var recordings: [RecordingSummary] = []
            let sql = """
                SELECT name, begun, coalesce(sum(loads), 0), min(first_time), max(last_time) FROM recording
                LEFT JOIN shared ON shared.recording = name LEFT JOIN tally ON tally.shared = shared.id
                GROUP BY name
                """
            try view.db.forEachRow(sql) { row in
                let begun = try row.time(1)
                recordings.append(
                    RecordingSummary(
                        name: try row.text(0), loads: Int(try row.count(2)),
                        first: row.isNull(3) ? begun : try row.time(3), last: row.isNull(4) ? begun : try row.time(4)))
                return true
            }
            return recordings.sorted { ($0.last, $0.first, $0.name) < ($1.last, $1.first, $1.name) }
        }
    }

    /// The number of loads by verdict. Verdicts that did not occur are left out.
    public func counts(recording: String? = nil) throws -> [Verdict: Int] {
        try hosts(matching: RecordFilter(recording: recording)).reduce(into: [:]) {
            $0[$1.verdict, default: 0] += $1.loads
        }
    }

    /// The recordings, the most recently used one last. Reads no loads, except for sizes.
    ///
    /// - Parameters:
    ///   - name: the name of one recording; nil for all.
    ///   - withSizes: also reads each load, to sum up sizes.
    public func overviews(of name: String? = nil, withSizes: Bool = false) throws -> [RecordingOverview] {
        let filter = RecordFilter(recording: name)
        let recordings = try recordings().filter { name == nil || $0.name == name }
        let sizes = withSizes ? try source.sizes(of: filter) : nil
        return try read(.groups(filter)) { view in
            var parts: [String: OverviewParts] = [:]
            try view.db.forEachRow(overviewSQL) { row in
                try parts[row.text(0), default: OverviewParts()].add(row)
                return true
            }
            return recordings.map { recording in
                (parts[recording.name] ?? OverviewParts()).overview(
                    recording, bytes: sizes.map { $0[recording.name] ?? 0 })
            }
        }
    }
}

private let overviewSQL = """
    SELECT recording, shared.id, host, verdict, os, label, policy, bundle, mode, length(text),
        coalesce((SELECT sum(loads) FROM tally WHERE tally.shared = shared.id), 0)
    FROM shared ORDER BY shared.id
    """

/// An overview while it is built from a recording's shared rows.
private struct OverviewParts {
    private var bytes: Int64 = 0
    private var counts: [Verdict: Int] = [:]
    private var hosts: Set<String> = []
    private var policies = OrderedNames()
    private var sources: Set<String?> = []
    private var systems = OrderedNames()
    private var labels = OrderedNames()
    private var modes: Set<RecordingOverview.Mode> = []

    mutating func add(_ row: StoreRow) throws {
        let loads = Int(try row.count(10))
        guard loads > 0 else { return }
        if let verdict = Verdict(rawValue: try row.text(3)) { counts[verdict, default: 0] += loads }
        hosts.insert(try row.text(2))
        bytes += try row.count(9)
        let (source, bundle) = (try row.textIfAny(6), try row.textIfAny(7))
        policies.add((source ?? "secure defaults") + (bundle.map { " (\($0))" } ?? ""))
        sources.insert(source)
        systems.add(try row.text(4))
        if let mode = try row.textIfAny(8).flatMap(RecordingOverview.Mode.init(rawValue:)) { modes.insert(mode) }
        if let label = try row.textIfAny(5) { labels.add(label) }
    }

    /// - Parameter own: the size of its loads; nil if it was not requested.
    func overview(_ recording: RecordingSummary, bytes own: Int64?) -> RecordingOverview {
        RecordingOverview(
            name: recording.name, first: recording.first, last: recording.last, counts: counts, hosts: hosts.count,
            policies: policies.names, sources: sources, systems: systems.names, labels: labels.names,
            recordedModes: modes, bytes: own.map { $0 + bytes })
    }
}

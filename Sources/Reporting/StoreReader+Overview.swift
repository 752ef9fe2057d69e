import Foundation
import GRDB
import Records

extension StoreReader {
    /// The recordings, the oldest first. Reads what loads share, and only the length of the rest.
    ///
    /// - Parameter name: of one; nil for all.
    public func overviews(of name: String? = nil) throws -> [RecordingOverview] {
        try database.read { db in
            let filter = name == nil ? "" : "WHERE recording = ?"
            let arguments = StatementArguments([name].compactMap(\.self))
            let names = try String.fetchAll(
                db, sql: "SELECT recording FROM tally \(filter) GROUP BY recording ORDER BY min(first_time), recording",
                arguments: arguments)
            var parts = Dictionary(uniqueKeysWithValues: names.map { ($0, OverviewParts()) })
            let tallies = "SELECT recording, verdict, loads, first_time, last_time FROM tally \(filter)"
            for row in try Row.fetchAll(db, sql: tallies, arguments: arguments) { parts[row[0]]?.addTally(row) }
            let forms = "SELECT recording, host, text FROM form \(filter) ORDER BY id"
            let cursor = try Row.fetchCursor(db, sql: forms, arguments: arguments)
            while let row = try cursor.next() { parts[row[0]]?.addForm(row) }
            let bytes = """
                SELECT recording, sum(length(CAST(entry AS BLOB))) FROM load JOIN form ON form.id = load.form
                \(LoadFilter(RecordFilter(recording: name)).sql) GROUP BY recording
                """
            let entries = LoadFilter(RecordFilter(recording: name)).arguments
            for row in try Row.fetchAll(db, sql: bytes, arguments: entries) { parts[row[0]]?.bytes += row[1] }
            return names.compactMap { parts[$0]?.overview(named: $0) }
        }
    }
}

/// What a recording's rows tell, put together.
private struct OverviewParts {
    var bytes: Int64 = 0
    private var counts: [Verdict: Int] = [:]
    private var first = Int64.max
    private var last = Int64.min
    private var hosts: Set<String> = []
    private var policies = OrderedNames()
    private var systems = OrderedNames()
    private var labels = OrderedNames()
    private var modes: Set<RecordingOverview.Mode> = []

    mutating func addTally(_ row: Row) {
        if let verdict = Verdict(rawValue: row[1]) { counts[verdict, default: 0] += row[2] }
        first = min(first, row[3])
        last = max(last, row[4])
    }

    mutating func addForm(_ row: Row) {
        hosts.insert(row[1])
        let text: String = row[2]
        bytes += Int64(text.utf8.count)
        guard let law = FormLaw(text) else { return }
        policies.add((law.policy.source ?? "secure defaults") + (law.policy.bundleID.map { " (\($0))" } ?? ""))
        systems.add(law.policy.os)
        if let mode = law.policy.mode.flatMap(RecordingOverview.Mode.init(rawValue:)) { modes.insert(mode) }
        if let label = law.client.label { labels.add(label) }
    }

    func overview(named name: String) -> RecordingOverview {
        RecordingOverview(
            name: name, first: first, last: last, counts: counts, hosts: hosts.count, policies: policies.names,
            systems: systems.names, labels: labels.names, toldModes: modes, bytes: bytes)
    }
}

/// What a form tells of the client and the law, which it holds whole.
private struct FormLaw: Decodable {
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

    /// - Returns: nil for a form that is no JSON once its blanks are filled with nothing.
    init?(_ text: String) {
        var json: [UInt8] = []
        json.reserveCapacity(text.utf8.count + 64)
        for byte in text.utf8 {
            guard byte == RecordForm.blank else {
                json.append(byte)
                continue
            }
            // In the place of a value; elsewhere within a string, or for a key that may be left out.
            if let last = json.last, valueStarts.contains(last) { json.append(contentsOf: "null".utf8) }
        }
        guard let law = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        self = law
    }
}

private let valueStarts = Set(":,[".utf8)

import GRDB
import Records
import Text

/// A ``RecordFilter`` as conditions of SQL, with their values.
struct LoadFilter {
    typealias Clause = (sql: String, arguments: StatementArguments)

    /// What is asked of a row besides; empty for nothing.
    let rows: Clause
    /// Words, and names of devices, that are looked for in rows one by one.
    let search: LoadSearch
    let devices: Set<String>
    private let recordings: [String]
    /// What is asked of a form; nil for nothing.
    private let wanted: Clause?

    init(_ filter: RecordFilter) {
        var row = Conditions()
        if let after = filter.after { row.add("load.seq > ?", [after]) }
        if let since = filter.since { row.add("load.time >= ?", [since]) }
        if let until = filter.until { row.add("load.time < ?", [until]) }
        row.addAny(of: filter.rules.map { ("lower(load.rule) GLOB ?", $0.sqlite) })
        rows = (row.sql, row.arguments)
        search = filter.search
        devices = filter.devices
        recordings = filter.recordings
        let form = Self.formConditions(filter)
        wanted = form.clauses.isEmpty ? nil : (form.sql, form.arguments)
    }

    /// The first row that may be wanted and the last one; nil where there is none. Between the ends of the recordings in
    /// the order of rows: nothing to sort, so memory stays flat.
    func ends(in db: Database, noting damage: StoreDamage) throws -> ClosedRange<Int64>? {
        var ends: ClosedRange<Int64>?
        if recordings.isEmpty {
            // Those of the table are not asked for: the page with the last one may be damaged.
            let all = -endOfNumbers...endOfNumbers
            guard let last = try? db.number("SELECT max(seq) FROM load") else { return all }
            return all.clamped(to: all.lowerBound...max(last, all.lowerBound))
        }
        let names = Set(recordings)
        for tally in try StoreTally.all(in: db, noting: damage) where names.contains(tally.key.recording) {
            let (first, last) = (tally.seqs.first, max(tally.seqs.first, tally.seqs.last))
            ends = min(first, ends?.lowerBound ?? first)...max(last, ends?.upperBound ?? last)
        }
        return ends
    }

    /// The forms that are wanted; nil for all.
    func forms(in db: Database, noting damage: StoreDamage) throws -> Set<Int64>? {
        guard let wanted else { return nil }
        var forms: Set<Int64> = []
        let walk = TableWalk(table: "form", number: "id", columns: "id", condition: wanted)
        try walk.forEach(in: db, noting: damage) { row in
            forms.insert(try row.number(0))
            return true
        }
        return forms
    }

    private static func formConditions(_ filter: RecordFilter) -> Conditions {
        var form = Conditions()
        if !filter.recordings.isEmpty {
            let names = Conditions.recording(in: filter.recordings)
            form.add(names.sql, names.arguments)
        }
        form.addAny(of: filter.verdicts.map { ("verdict = ?", $0.rawValue) })
        form.addAny(of: filter.hosts.map { ("lower(host) GLOB ?", $0.sqlite) })
        // The text is JSON, where this key is the client's alone: inside of a string its quotes would be escaped.
        form.addAny(of: filter.labels.map { ("instr(text, ?)", "\"label\":" + JSONValue.string($0).text) })
        return form
    }
}

/// Clauses that must all hold.
private struct Conditions {
    private(set) var clauses: [String] = []
    private(set) var arguments = StatementArguments()

    var sql: String { clauses.joined(separator: " AND ") }

    mutating func add(_ clause: String, _ values: StatementArguments) {
        clauses.append(clause)
        arguments += values
    }

    static func recording(in names: [String]) -> (sql: String, arguments: StatementArguments) {
        ("recording IN (\(names.map { _ in "?" }.joined(separator: ", ")))", StatementArguments(names))
    }

    /// Adds one clause that holds where any of `choices` does; none for no choices.
    mutating func addAny(of choices: [(sql: String, value: String)]) {
        guard !choices.isEmpty else { return }
        add("(\(choices.map(\.sql).joined(separator: " OR ")))", StatementArguments(choices.map(\.value)))
    }
}

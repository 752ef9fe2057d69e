import GRDB
import Records
import Text

/// A ``RecordFilter`` as conditions of SQL, with their values.
struct LoadFilter {
    typealias Clause = (sql: String, arguments: StatementArguments)

    /// All of it as a WHERE clause over the table `load`; empty where every load is wanted.
    let sql: String
    let arguments: StatementArguments
    /// Asks for the first row that may be wanted and the last one.
    let ends: Clause
    /// What is asked of a row besides; empty for nothing.
    let rows: Clause
    /// Asks for the forms that are wanted; nil for all.
    let forms: Clause?

    init(_ filter: RecordFilter) {
        var row = Conditions()
        if let after = filter.after { row.add("load.seq > ?", [after]) }
        if let since = filter.since { row.add("load.time >= ?", [since]) }
        if let until = filter.until { row.add("load.time < ?", [until]) }
        row.addAny(of: filter.rules.map { ("lower(load.rule) GLOB ?", $0.sqlite) })
        rows = (row.sql, row.arguments)
        let form = Self.formConditions(filter)
        let wanted: Clause = ("SELECT id FROM form WHERE \(form.sql)", form.arguments)
        forms = form.clauses.isEmpty ? nil : wanted
        var load = Conditions()
        if filter.recordings.isEmpty {
            ends = ("SELECT min(seq), max(seq) FROM load", [])
        } else {
            // Between the ends of the recordings in the order of rows: nothing to sort, so memory stays flat.
            let names = Conditions.recording(in: filter.recordings)
            ends = ("SELECT min(first_seq), max(last_seq) FROM tally WHERE \(names.sql)", names.arguments)
            let each = ["min(first_seq)", "max(last_seq)"].map { "(SELECT \($0) FROM tally WHERE \(names.sql))" }
            load.add("load.seq BETWEEN \(each[0]) AND \(each[1])", names.arguments + names.arguments)
        }
        if !row.clauses.isEmpty { load.add(row.sql, row.arguments) }
        if let forms { load.add("load.form IN (\(forms.sql))", forms.arguments) }
        sql = load.clauses.isEmpty ? "" : "WHERE " + load.sql
        arguments = load.arguments
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

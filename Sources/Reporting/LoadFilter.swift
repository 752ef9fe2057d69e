import GRDB
import Records
import Text

/// A ``RecordFilter`` as a WHERE clause over the table `load`, with its values.
struct LoadFilter {
    /// With the word WHERE; empty where every load is wanted.
    let sql: String
    let arguments: StatementArguments
    /// The same without what is asked of forms, which may be looked up once in place of once for each row.
    let rows: (sql: String, arguments: StatementArguments)
    /// Which forms are wanted; nil for all.
    let forms: (sql: String, arguments: StatementArguments)?

    init(_ filter: RecordFilter) {
        var load = Conditions()
        if !filter.recordings.isEmpty {
            // Between the ends of the recordings in the order of rows: nothing to sort, so memory stays flat.
            let names = Conditions.recording(in: filter.recordings)
            let ends = ["min(first_seq)", "max(last_seq)"].map { "(SELECT \($0) FROM tally WHERE \(names.sql))" }
            load.add("load.seq BETWEEN \(ends[0]) AND \(ends[1])", names.arguments + names.arguments)
        }
        if let after = filter.after { load.add("load.seq > ?", [after]) }
        if let since = filter.since { load.add("load.time >= ?", [since]) }
        if let until = filter.until { load.add("load.time < ?", [until]) }
        load.addAny(of: filter.rules.map { ("lower(load.rule) GLOB ?", $0.sqlite) })
        rows = (load.clause, load.arguments)
        let form = Self.formConditions(filter)
        if form.clauses.isEmpty {
            forms = nil
        } else {
            forms = ("SELECT id FROM form WHERE \(form.sql)", form.arguments)
            load.add("load.form IN (SELECT id FROM form WHERE \(form.sql))", form.arguments)
        }
        sql = load.clause
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
    /// With the word WHERE; empty where there are none.
    var clause: String { clauses.isEmpty ? "" : "WHERE " + sql }

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

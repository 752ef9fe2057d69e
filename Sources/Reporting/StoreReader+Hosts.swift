import GRDB
import Records

extension StoreReader {
    /// The hosts of recordings, each once.
    ///
    /// - Parameter recordings: none for all.
    public func hostNames(of recordings: [String]) throws -> Set<String> {
        let places = recordings.map { _ in "?" }.joined(separator: ", ")
        let filter = recordings.isEmpty ? "" : "WHERE recording IN (\(places))"
        return try database.read { db in
            try String.fetchSet(
                db, sql: "SELECT DISTINCT host FROM form \(filter)", arguments: StatementArguments(recordings))
        }
    }

    /// How the loads of each host ended, by host, rule and verdict: those that passed, too.
    ///
    /// - Parameter recording: name of a run; nil for all.
    public func hosts(recording: String? = nil) throws -> [HostTrouble] {
        try hosts(matching: RecordFilter(recording: recording))
    }

    /// The same, of the loads that meet `filter`.
    public func hosts(matching filter: RecordFilter) throws -> [HostTrouble] {
        let filter = LoadFilter(filter)
        return try database.read { db in
            let sql = """
                SELECT form.host, load.rule, form.verdict, count(*) FROM load JOIN form ON form.id = load.form
                \(filter.sql) GROUP BY form.host, load.rule, form.verdict ORDER BY form.host, load.rule, form.verdict
                """
            return try Row.fetchAll(db, sql: sql, arguments: filter.arguments).compactMap { row in
                Verdict(rawValue: row[2]).map { HostTrouble(host: row[0], rule: row[1], verdict: $0, loads: row[3]) }
            }
        }
    }
}

import Foundation
import GRDB
public import Records

/// Reads a store, also while a gate writes to it.
public struct StoreReader: Sendable {
    let database: DatabaseQueue

    /// - Throws: ``StoreError`` that names `path`.
    public init(path: String) throws(StoreError) {
        guard FileManager.default.fileExists(atPath: path) else { throw .missing(path: path) }
        do {
            var configuration = StoreSchema.configuration
            configuration.readonly = true
            database = try DatabaseQueue(path: path, configuration: configuration)
            try database.read { db in
                try StoreSchema.check(db, path: path)
                // A file that no gate has written to yet, or one that died before its first migration.
                guard try db.tableExists("load") else { throw StoreError.foreignDatabase(path: path) }
                guard try db.tableExists("handshake") else { throw StoreError.olderVersion(path: path) }
            }
        } catch {
            throw StoreSchema.explained(error, path: path)
        }
    }

    /// Rows in the order filed.
    ///
    /// - Parameters:
    ///   - recording: name of a run; nil for all.
    ///   - verdicts: nil for all.
    public func records(recording: String? = nil, verdicts: Set<Verdict>? = nil) throws -> [StoredRecord] {
        var records: [StoredRecord] = []
        try forEach(recording: recording, verdicts: verdicts) { records.append($0) }
        return records
    }

    /// Hands over rows one by one, in the order filed, from one snapshot of the store; memory stays flat.
    public func forEach(
        recording: String? = nil, verdicts: Set<Verdict>? = nil, _ body: (StoredRecord) throws -> Void
    ) throws {
        try forEachRow(recording: recording, verdicts: verdicts) { row, db, forms in
            try body(forms.record(row, in: db))
        }
    }

    /// Hands over rows with the columns form, time, rule and entry.
    func forEachRow(
        recording: String?, verdicts: Set<Verdict>?, _ body: (Row, Database, inout StoredForms) throws -> Void
    ) throws {
        let filter = LoadFilter(recording: recording, verdicts: verdicts)
        try database.read { db in
            let sql = "SELECT form, time, rule, entry FROM load \(filter.sql) ORDER BY seq"
            let rows = try Row.fetchCursor(db, sql: sql, arguments: filter.arguments)
            var forms = StoredForms()
            while let row = try rows.next() {
                try body(row, db, &forms)
            }
        }
    }

    /// Every recording, the oldest first.
    public func recordings() throws -> [RecordingSummary] {
        try database.read { db in
            let sql = """
                SELECT recording, sum(loads), min(first_time), max(last_time) FROM tally GROUP BY recording
                ORDER BY min(first_time), recording
                """
            return try Row.fetchAll(db, sql: sql).map { row in
                RecordingSummary(name: row[0], loads: row[1], first: row[2], last: row[3])
            }
        }
    }

    /// How many loads ended how. Verdicts that did not happen are left out.
    public func counts(recording: String? = nil) throws -> [Verdict: Int] {
        try database.read { db in
            let filter = recording == nil ? "" : "WHERE recording = ?"
            let sql = "SELECT verdict, sum(loads) FROM tally \(filter) GROUP BY verdict"
            var counts: [Verdict: Int] = [:]
            for row in try Row.fetchAll(db, sql: sql, arguments: StatementArguments([recording].compactMap(\.self))) {
                if let verdict = Verdict(rawValue: row[0]) { counts[verdict] = row[1] }
            }
            return counts
        }
    }
}

/// A WHERE clause and its values.
struct LoadFilter {
    var sql = ""
    var arguments = StatementArguments()

    init(recording: String?, verdicts: Set<Verdict>?) {
        var clauses: [String] = []
        var forms: [String] = []
        if let recording {
            // Between the ends of the recording in the order of rows: nothing to sort, so memory stays flat.
            let ends = ["min(first_seq)", "max(last_seq)"].map { "(SELECT \($0) FROM tally WHERE recording = ?)" }
            clauses.append("seq BETWEEN \(ends[0]) AND \(ends[1])")
            forms.append("recording = ?")
            arguments += [recording, recording, recording]
        }
        if let verdicts {
            forms.append("verdict IN (\(verdicts.map { _ in "?" }.joined(separator: ", ")))")
            arguments += StatementArguments(verdicts.map(\.rawValue))
        }
        if !forms.isEmpty { clauses.append("form IN (SELECT id FROM form WHERE \(forms.joined(separator: " AND ")))") }
        if !clauses.isEmpty { sql = "WHERE " + clauses.joined(separator: " AND ") }
    }
}

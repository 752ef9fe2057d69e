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
        var filter = RecordFilter(recording: recording)
        filter.verdicts = verdicts ?? []
        try forEach(matching: filter, body)
    }

    /// The same, of the rows that meet `filter`.
    public func forEach(matching filter: RecordFilter, _ body: (StoredRecord) throws -> Void) throws {
        try forEachRow(matching: filter) { row, db, forms in
            try body(forms.record(row, in: db))
        }
    }

    /// Hands over rows with the columns form, time, rule and entry.
    func forEachRow(
        matching filter: RecordFilter, _ body: (Row, Database, inout StoredForms) throws -> Void
    ) throws {
        let filter = LoadFilter(filter)
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

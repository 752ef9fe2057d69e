import Foundation
import GRDB
public import Records

/// Some rows of a store, the newest first.
public struct StorePage: Sendable {
    public let records: [StoredRecord]
    /// What to ask for the rows before these; nil where there are none.
    public let next: Int64?

    public init(records: [StoredRecord], next: Int64?) {
        self.records = records
        self.next = next
    }
}

extension StoreReader {
    /// The newest loads that meet `filter`, as filed.
    ///
    /// - Parameters:
    ///   - place: ``StorePage/next`` of the page before; nil for the first.
    ///   - limit: rows of a page.
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    public func page(of filter: RecordFilter, before place: Int64? = nil, limit: Int) throws -> StorePage {
        let clause = LoadFilter(filter)
        let sql = """
            SELECT form, time, rule, entry, seq FROM load \(clause.sql.isEmpty ? "WHERE" : clause.sql + " AND") seq < ?
            ORDER BY seq DESC LIMIT ?
            """
        return try database.read { db in
            let arguments = clause.arguments + [place ?? .max, limit]
            let rows = try Row.fetchAll(db, sql: sql, arguments: arguments)
            var forms = StoredForms()
            let records = try rows.map { try forms.record($0, in: db) }
            return StorePage(records: records, next: rows.count < limit ? nil : rows.last?[4])
        }
    }

    /// The load of an id, with what its handshake showed where there was one; nil where it is not there, for which every
    /// row is looked at.
    public func record(id: String) throws -> (record: StoredRecord, handshake: RecordedHandshake?)? {
        try database.read { db in
            guard let row = try RecordSearch(id: id, db: db).row() else { return nil }
            var forms = StoredForms()
            return (try forms.record(row, in: db), try forms.handshake(of: row, in: db)?.1)
        }
    }
}

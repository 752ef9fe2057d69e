import GRDB
import Records

/// Follows a store while a gate writes to it: each call hands over what was filed since the last.
public final class StoreFollower {
    private let reader: StoreReader
    private let filter: LoadFilter
    /// The last row that was looked at.
    private var last: Int64
    private var forms = StoredForms()

    /// - Parameter fromStart: what is in the store already counts, too.
    /// - Throws: ``StoreError`` and errors of the database.
    public init(_ reader: StoreReader, matching filter: RecordFilter, fromStart: Bool) throws {
        self.reader = reader
        self.filter = LoadFilter(filter)
        last = fromStart ? 0 : try reader.database.read(Self.end)
    }

    /// The next loads in the order filed; empty when there are none yet.
    ///
    /// - Parameter limit: at most so many.
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    public func next(limit: Int = 1000) throws -> [StoredRecord] {
        try reader.database.read { db in
            let end = try Self.end(db)
            guard end > last else { return [] }
            let joint = filter.sql.isEmpty ? "WHERE" : "AND"
            let sql = """
                SELECT form, time, rule, entry, seq FROM load \(filter.sql) \(joint) seq > ? AND seq <= ?
                ORDER BY seq LIMIT ?
                """
            let rows = try Row.fetchAll(db, sql: sql, arguments: filter.arguments + [last, end, limit])
            last = rows.count == limit ? rows[limit - 1][4] : end
            return try rows.map { try forms.record($0, in: db) }
        }
    }

    private static func end(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT max(seq) FROM load") ?? 0
    }
}

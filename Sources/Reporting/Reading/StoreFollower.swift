import GRDB
import Records

/// Follows a store while a gate writes to it: each call hands over what was filed since the last.
public final class StoreFollower {
    private let reader: StoreReader
    private let filter: LoadFilter
    /// The last row that was looked at.
    private var last: Int64
    private var forms: StoredForms

    /// - Parameter fromStart: what is in the store already counts, too.
    /// - Throws: ``StoreError`` and errors of the database.
    public init(_ reader: StoreReader, matching filter: RecordFilter, fromStart: Bool) throws {
        self.reader = reader
        self.filter = LoadFilter(filter)
        forms = StoredForms(noting: reader.damage)
        last = fromStart ? -endOfNumbers : try reader.read(Self.end)
    }

    /// What could not be read so far.
    public var damage: StoreDamage { reader.damage }

    /// The next loads in the order filed; empty when there are none yet.
    ///
    /// - Parameter limit: at most so many.
    /// - Throws: ``StoreError``.
    public func next(limit: Int = 1000) throws -> [StoredRecord] {
        try reader.read { db in
            guard try Self.end(db) > last else { return [] }
            var records: [StoredRecord] = []
            let scan = try RowScan(filter, in: db, noting: reader.damage)
            let end = scan.ends?.upperBound ?? last
            var isWhole = true
            try scan.forEach(behind: last, in: db) { row in
                last = row.seq
                records.append(try forms.record(row, in: db))
                isWhole = records.count < limit
                return isWhole
            }
            if isWhole { last = max(last, end) }
            return records
        }
    }

    private static func end(_ db: Database) throws -> Int64 {
        do { return try db.number("SELECT max(seq) FROM load") ?? -endOfNumbers } catch let error as DatabaseError {
            // The page with the last one may be damaged: then all are looked for.
            guard error.isDamage else { throw error }
            return endOfNumbers
        }
    }
}

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
        try read { db in
            var forms = StoredForms(noting: damage)
            var records: [StoredRecord] = []
            var last: Int64?
            let scan = try RowScan(LoadFilter(filter), in: db, noting: damage, isDescending: true)
            guard limit > 0 else { return StorePage(records: [], next: nil) }
            try scan.forEach(behind: place, in: db) { row in
                // What is no record once it is put together is no row for anybody.
                let record = try forms.record(row, in: db)
                _ = try DecodedRecord(record)
                records.append(record)
                last = row.seq
                return records.count < limit
            }
            return StorePage(records: records, next: records.count < limit ? nil : last)
        }
    }

    /// The load of an id, with what its handshake showed where there was one; nil where it is not there, for which every
    /// row is looked at.
    public func record(id: String) throws -> (record: StoredRecord, handshake: RecordedHandshake?)? {
        try read { db in
            guard let seq = try RecordSearch(id: id, db: db, damage: damage).seq() else { return nil }
            var forms = StoredForms(noting: damage)
            var found: (StoredRecord, RecordedHandshake?)?
            try TableWalk.loads.forEach(from: seq, to: seq, in: db, noting: damage) { row in
                let row = try RowScan.Row(row)
                let record = try forms.record(row, in: db)
                _ = try DecodedRecord(record)
                found = (record, try forms.handshake(of: row, in: db)?.1)
                return true
            }
            return found
        }
    }
}

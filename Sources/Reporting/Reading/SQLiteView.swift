import Foundation
import GRDB
import Records

/// A store's file within one transaction.
final class SQLiteView: StoreView {
    let db: Database
    let damage: StoreDamage
    /// For error messages.
    private let path: String

    init(_ db: Database, noting damage: StoreDamage, path: String = "the store") {
        self.db = db
        self.damage = damage
        self.path = path
    }

    func tallies() throws -> [StoreTally] { try StoreTally.all(in: db, noting: damage) }

    func form(_ number: Int64) throws -> StoredForm? {
        let sql = "SELECT recording, host, verdict, os, text, handshake FROM form WHERE id = ?"
        return try db.first(sql, [number]) { try StoredForm($0) }
    }

    func formText(_ number: Int64) throws -> RecordForm? {
        try db.first("SELECT text FROM form WHERE id = ?", [number]) { RecordForm(text: Array(try $0.bytes(0))) }
    }

    func handshake(_ number: Int64) throws -> RecordedHandshake? {
        do {
            let handshake = try db.first("SELECT text FROM handshake WHERE id = ?", [number]) { row in
                try JSONDecoder().decode(RecordedHandshake.self, from: Data(try row.bytes(0)))
            }
            if handshake == nil { damage.note(part: "handshake \(number): it is missing") }
            return handshake
        } catch let error where error is StoreRow.Unreadable || error is DecodingError || error is DatabaseError {
            if let error = error as? DatabaseError, !error.isDamage || error.isOutOfSteps { throw error }
            damage.note(part: "handshake \(number): \((error as? StoreRow.Unreadable)?.description ?? "it is damaged")")
            return nil
        }
    }

    func forEachForm(
        _ body: (_ number: Int64, _ recording: String, _ host: String, _ text: String) throws -> Void
    ) throws {
        let walk = TableWalk(table: "form", number: "id", columns: "recording, host, text")
        try walk.forEach(in: db, noting: damage) { row in
            try body(row.number(0), row.text(1), row.text(2), row.text(3))
            return true
        }
    }

    func hostNames(of recordings: [String]) throws -> Set<String> {
        var filter = RecordFilter()
        filter.recordings = recordings
        var hosts: Set<String> = []
        let forms = try LoadFilter(filter).forms(in: db, noting: damage)
        let walk = TableWalk(table: "form", number: "id", columns: "host")
        try walk.forEach(in: db, noting: damage) { row in
            if try forms?.contains(row.number(0)) ?? true { hosts.insert(try row.text(1)) }
            return true
        }
        return hosts
    }

    /// Adds up in memory; SQLite would sort all entries first.
    func entryBytes(of recording: String?) throws -> [Int64: Int64] {
        var bytes: [Int64: Int64] = [:]
        let filter = LoadFilter(RecordFilter(recording: recording))
        try RowScan(filter, in: self).forEach(in: self) { row in
            bytes[row.form, default: 0] += Int64(row.entry.count)
            return true
        }
        return bytes
    }

    func groups(
        of filter: RecordFilter, _ detail: GroupDetail, witnessed: ((ScannedRow) throws -> Void)?
    ) throws -> [LoadBatch] {
        try refuseGates(filter)
        return try GroupScan.groups(LoadFilter(filter), in: self, witnessed: witnessed)
    }

    func verdictsByGate(of filter: RecordFilter) throws -> [String: [Verdict: Int]] { throw withoutGates }

    func place(ofLoad id: String) throws -> StorePosition? {
        try RecordSearch(id: id, db: db, damage: damage).seq().map { StorePosition(number: $0) }
    }

    func generation() throws -> Int { try StoreGeneration.current(in: db) }
}

// MARK: - Rows

extension SQLiteView {
    func scan(_ filter: RecordFilter, isDescending: Bool) throws -> any StoreScan {
        try refuseGates(filter)
        return SQLiteScan(
            filter: filter, rows: try RowScan(LoadFilter(filter), in: self, isDescending: isDescending))
    }

    func forEachRow(
        of scan: any StoreScan, behind place: StorePosition?, _ body: (ScannedRow) throws -> Bool
    ) throws {
        try Self.own(scan).rows.forEach(behind: place?.number, in: self, body)
    }

    func renewed(_ scan: any StoreScan) throws -> any StoreScan {
        let scan = Self.own(scan)
        return SQLiteScan(filter: scan.filter, rows: try scan.rows.renewed(LoadFilter(scan.filter), in: self))
    }

    func forEachRow(
        at candidates: [[StorePosition]], _ body: (_ index: Int, ScannedRow) throws -> Void
    ) throws {
        for (index, places) in candidates.enumerated() {
            var isTold = false
            for place in places where !isTold {
                try TableWalk.loads.forEach(from: place.number, to: place.number, in: db, noting: damage) { row in
                    try body(index, ScannedRow(row))
                    isTold = true
                    return true
                }
            }
        }
    }

    func mark() throws -> StoreMark { .row(try end()) }

    func forEachRow(
        of filter: RecordFilter, filedAfter mark: inout StoreMark, limit: Int, _ body: (ScannedRow) throws -> Void
    ) throws {
        var last = if case .row(let row) = mark { row } else { -endOfNumbers }
        defer { mark = .row(last) }
        try refuseGates(filter)
        guard try end() > last else { return }
        let scan = try RowScan(LoadFilter(filter), in: self)
        let end = scan.ends?.upperBound ?? last
        var count = 0
        try scan.forEach(behind: last, in: self) { row in
            last = row.place.number
            try body(row)
            count += 1
            return count < limit
        }
        if count < limit { last = max(last, end) }
    }

    private func end() throws -> Int64 {
        do { return try db.number("SELECT max(seq) FROM load") ?? -endOfNumbers } catch let error as DatabaseError {
            // The page with the last row may be damaged: then search to the end.
            guard error.isDamage else { throw error }
            return endOfNumbers
        }
    }

    /// Throws if the filter names gates: a file does not know the gate of its loads.
    private func refuseGates(_ filter: RecordFilter) throws(StoreError) {
        guard filter.gates.isEmpty else { throw withoutGates }
    }

    private var withoutGates: StoreError {
        .otherKind(path: path, cause: "only a shared store knows which gate a load came from; this is a file")
    }

    private static func own(_ scan: any StoreScan) -> SQLiteScan {
        guard let scan = scan as? SQLiteScan else { preconditionFailure("a scan of another kind of store") }
        return scan
    }
}

/// A scan that can be continued in a later transaction.
private struct SQLiteScan: StoreScan {
    let filter: RecordFilter
    let rows: RowScan
}

import ATSPolicy
import Bytes
import Foundation
import GRDB
import Records

/// A store within one transaction.
package final class StoreView {
    let db: Database
    /// Counts the loads that were read.
    private let counter: WorkCounter
    private var sharedRows = WeighedCache<Int64, SharedRow>(.rows, limit: 32 << 20, count: 65_536)
    private var diagnoses = WeighedCache<Int64, DiagnosisRow>(.rows, limit: 16 << 20, count: 16_384)
    private var handshakes = WeighedCache<Int64, RecordedHandshake>(.rows, limit: 32 << 20, count: 8192)
    /// The rows that the last load referred to: the next one mostly refers to the same.
    private var last: (shared: SharedRow, diagnosis: DiagnosisRow?)?

    init(_ db: Database, counter: WorkCounter) {
        self.db = db
        self.counter = counter
    }

    // MARK: - What loads share

    func shared(_ number: Int64) throws -> SharedRow {
        if let last, last.shared.number == number { return last.shared }
        if let known = sharedRows.value(for: number) { return known }
        let found = try db.first("SELECT recording, handshake, text FROM shared WHERE id = ?", [number]) { row in
            (try row.text(0), try row.place(1), try row.text(2))
        }
        guard let (recording, handshakeNumber, text) = found else {
            throw StoreRow.Unreadable(description: "shared row \(number) is missing")
        }
        var record = try Self.piece(text, .shared, "shared row \(number)")
        record.recording = recording
        record.restore(try handshakeNumber.map { try handshake($0) })
        let shared = SharedRow(number: number, handshake: handshakeNumber, record: record)
        sharedRows.keep(shared, for: number, bytes: text.utf8.count + 1024)
        return shared
    }

    /// - Parameter number: 0 for none.
    func diagnosis(_ number: Int64) throws -> DiagnosisRow? {
        guard number != 0 else { return nil }
        if let known = diagnoses.value(for: number) { return known }
        guard let text = try db.first("SELECT text FROM diagnosis WHERE id = ?", [number], { try $0.text(0) }) else {
            throw StoreRow.Unreadable(description: "diagnosis \(number) is missing")
        }
        let read = try Self.piece(text, .diagnosis, "diagnosis \(number)").diagnosis
        let row = DiagnosisRow(
            number: number, diagnosis: read ?? RecordedDiagnosis(findings: [], apple: nil, remedy: nil))
        diagnoses.keep(row, for: number, bytes: text.utf8.count * 2)
        return row
    }

    func handshake(_ number: Int64) throws -> RecordedHandshake {
        if let known = handshakes.value(for: number) { return known }
        let text = try db.first("SELECT text FROM handshake WHERE id = ?", [number]) { try $0.text(0) }
        guard let text, let handshake = try? JSONDecoder().decode(RecordedHandshake.self, from: Data(text.utf8)) else {
            throw StoreRow.Unreadable(
                description: "handshake \(number) is \(text == nil ? "missing" : "not a handshake")")
        }
        handshakes.keep(handshake, for: number, bytes: handshake.bytes)
        return handshake
    }

    private static func piece(_ text: String, _ pieces: RecordPieces, _ name: String) throws -> LoadRecord {
        do { return try RecordPiece.decoded(text, pieces).record } catch {
            throw StoreRow.Unreadable(description: "\(name) is damaged")
        }
    }

    // MARK: - Loads

    /// Calls `body` with the loads of a query.
    ///
    /// - Parameters:
    ///   - place: loads up to this row, in the order of the query, are skipped; nil for none.
    ///   - body: returns true to continue.
    /// - Throws: `DatabaseError`, ``StoreRow/Unreadable``, ``StoreError/unreadableRecord(id:cause:)``, and what `body`
    ///   throws.
    func forEachRow(of query: LoadQuery, after place: Int64? = nil, _ body: (LoadRow) throws -> Bool) throws {
        let matcher = LoadMatcher(query.filter)
        try forEach("seq, " + LoadColumns.names, of: query, after: place) { row in
            let load = try self.row(row)
            guard try matcher?.matches(load) ?? true else { return true }
            return try body(load)
        }
    }

    /// Calls `body` with columns of the loads of a query, of which the first is the number of the row. Words that are
    /// searched in loads are not tested.
    func forEach(
        _ columns: String, of query: LoadQuery, after place: Int64? = nil, _ body: (StoreRow) throws -> Bool
    ) throws {
        guard let (sql, arguments) = try query.statement(columns, after: place, in: db) else { return }
        // Numbers rise in a file that no one has forged; in a page that is its own child they would not.
        var before: Int64?
        try db.rows(of: db.cachedStatement(sql: sql), arguments) { row in
            counter.add()
            let number = try row.number(0)
            if let before, query.isDescending ? number >= before : number <= before {
                throw StoreRow.Unreadable(description: "row \(number) follows row \(before)")
            }
            before = number
            return try body(row)
        }
    }

    /// The load with this number.
    func row(at number: Int64) throws -> LoadRow? {
        try db.first("SELECT seq, \(LoadColumns.names) FROM load WHERE seq = ?", [number]) { try row($0) }
    }

    private func row(_ row: StoreRow) throws -> LoadRow {
        let columns = try LoadColumns(row)
        let shared = try shared(columns.shared)
        let isSame = last?.diagnosis?.number == columns.diagnosis
        let diagnosis = isSame ? last?.diagnosis : try diagnosis(columns.diagnosis)
        last = (shared, diagnosis)
        return LoadRow(
            place: StorePosition(number: try row.number(0)), shared: shared, diagnosis: diagnosis, columns: columns)
    }

    /// The number of the row of the load with this id; nil if there is none.
    func number(ofLoad id: String) throws -> Int64? {
        guard let id = LoadID(id.utf8) else { return nil }
        return try LoadIDSearch(id: id, db: db).number()
    }

    /// The number of the newest row; 0 if there is none.
    func end() throws -> Int64 { try db.number("SELECT max(seq) FROM load") ?? 0 }
}

/// Finds a row by its load's id without an index, which would slow down each insert. Ids rise in row order, except for
/// moments in which two gates write to a store, and for imported recordings.
private struct LoadIDSearch {
    let id: LoadID
    let db: Database

    /// Searches near the expected position in each recording first, and then every row.
    func number() throws -> Int64? {
        let ends = """
            SELECT min(first_seq), max(last_seq) FROM tally JOIN shared ON shared.id = tally.shared
            GROUP BY recording ORDER BY 2 DESC
            """
        var recordings: [(first: Int64, last: Int64)] = []
        try db.forEachRow(ends) { row in
            recordings.append((try row.number(0), try row.number(1)))
            return recordings.count < Self.mostRecordings
        }
        for recording in recordings {
            if let found = try number(from: recording.first, to: recording.last) { return found }
        }
        return try db.number("SELECT seq FROM load WHERE id = ? ORDER BY seq DESC LIMIT 1", [id.data])
    }

    private func number(from first: Int64, to last: Int64) throws -> Int64? {
        var (low, high) = (first, last)
        while high - low > Self.nearby {
            let middle = low + (high - low) / 2
            let found = try db.first("SELECT seq, id FROM load WHERE seq >= ? ORDER BY seq LIMIT 1", [middle]) {
                (number: try $0.number(0), id: try $0.id(1))
            }
            guard let found, let other = found.id else {
                high = middle
                continue
            }
            if (other.high, other.low) < (id.high, id.low), found.number < high {
                low = found.number
            } else {
                high = middle
            }
        }
        return try db.number(
            "SELECT seq FROM load WHERE seq BETWEEN ? AND ? AND id = ? ORDER BY seq DESC LIMIT 1",
            [low - Self.nearby, high + Self.nearby, id.data])
    }

    /// Rows searched on either side: more than two gates write in the second or two by which one may be late.
    private static let nearby: Int64 = 4096
    private static let mostRecordings = 100_000
}

extension LoadID {
    /// The 16 bytes, the most significant first, as a store has them.
    var data: Data { withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Data($0) } }
}

/// Rows beyond this number do not come from atsgate; see ``StoreRow/place(_:)``.
let endOfNumbers: Int64 = 1 << 61

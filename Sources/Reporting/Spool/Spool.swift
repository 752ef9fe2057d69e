import Bytes
import Foundation
import GRDB
import Records

/// A store whose loads are shipped to a shared store. Gates may record into it at the same time.
///
/// Use it from one thread at a time.
public final class Spool {
    public let path: String
    private let database: StoreConnection
    private let damage = StoreDamage()
    private var forms = WeighedCache<Int64, SpooledForm>(.rows, limit: 16 << 20, count: 4096)
    /// The store's generation when `forms` was filled.
    private var generation: Int?
    private var serial = 0
    private let sync: (String) throws -> Void
    /// Loads up to this number survive a crash of the machine; nil if unknown.
    private var durable: Int64?

    /// Opens an existing store, a spool or any other.
    ///
    /// - Parameter sync: flushes the file with this path to disk; nil for fdatasync(2).
    /// - Throws: ``StoreError``.
    public init(
        path: String, sync: ((String) throws -> Void)? = nil
    ) throws(StoreError) {
        self.path = path
        self.sync = sync ?? { try StoreFile.sync($0) }
        guard try StoreFile.exists(path) else { throw .missing(path: path) }
        database = try StoreSink.open(path: path)
        _ = try identity
    }

    /// The spool's identity, wherever the file is: 32 hexadecimal digits.
    public var identity: String {
        get throws(StoreError) { try database.reading { try SpoolState.ensured(in: $0).identity } }
    }

    /// The spool's first identity. All copies of the file share it, even if they diverged later.
    public var root: String {
        get throws(StoreError) {
            try database.reading { db in
                let state = try SpoolState.ensured(in: db)
                return state.root ?? state.identity
            }
        }
    }

    /// Returns once the loads up to `number` are on the disk. Commits do not wait for the disk, and a power cut loses
    /// the last ones. Without this, a shared store could have loads that the spool does not.
    ///
    /// Their pages are in SQLite's log, or were moved to the file by a checkpoint, which syncs at every setting but OFF
    /// (sqlite.org/pragma.html#pragma_synchronous). Closing the log releases no locks, because it has none
    /// (sqlite.org/walformat.html section 2.3), so gates that record do not wait.
    public func makeDurable(upTo number: Int64) throws {
        if let durable, number <= durable { return }
        let last = try last
        try sync(path + "-wal")
        durable = last
    }

    /// How far the spool was shipped, to its own knowledge.
    public struct Mark: Sendable, Hashable {
        /// Loads up to this number are in the shared store.
        public var number: Int64
        /// The id of that load, as text; nil if there is none.
        public var id: String?

        public init(number: Int64, id: String?) {
            self.number = number
            self.id = id
        }
    }

    /// How far the spool was shipped, according to the file; nil if it never was.
    public var mark: Mark? {
        get throws {
            try database.reading { db in
                let state = try SpoolState.read(in: db)
                return state?.shipped.map { Mark(number: $0, id: state?.last) }
            }
        }
    }

    /// Notes how far the spool was shipped, so that old loads may be deleted a day later.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC; nil for the system's clock.
    public func note(_ mark: Mark, now: Int64? = nil) throws {
        try database.writing { db in
            try Self.change(db) { ($0.shipped, $0.last) = (mark.number, mark.id) }
            try ShippedHours.note(mark.number, at: now ?? Int64(Date().timeIntervalSince1970 * 1000), in: db)
        }
    }

    /// Gives the file another identity.
    ///
    /// - Parameter identity: 32 lower-case hexadecimal digits.
    public func become(_ identity: String) throws {
        try database.writing { db in
            try Self.change(db) { ($0.identity, $0.root) = (identity, nil) }
        }
        durable = nil
    }

    /// Gives the file another identity, under which it is shipped from now on. Its ``root`` stays.
    ///
    /// - Parameters:
    ///   - identity: 32 lower-case hexadecimal digits.
    ///   - mark: how far it was shipped, under any identity.
    public func fork(as identity: String, at mark: Mark) throws {
        try database.writing { db in
            try Self.change(db) {
                $0.root = $0.root ?? $0.identity
                $0.identity = identity
                ($0.shipped, $0.last) = (mark.number, mark.id)
            }
        }
        durable = nil
    }

    private static func change(_ db: Database, _ body: (inout SpoolState) -> Void) throws {
        var state = try SpoolState.ensured(in: db)
        body(&state)
        try state.write(to: db)
    }

    /// The highest number that a load was given; 0 if there was none.
    public var last: Int64 { get throws { try database.reading { try StoreNumbers.last(in: $0) } } }

    /// The number of the first existing load after `number`; nil if there is none.
    public func first(behind number: Int64) throws -> Int64? {
        try database.reading { try $0.number("SELECT seq FROM load WHERE seq > ? ORDER BY seq LIMIT 1", [number]) }
    }

    /// The id of the load with this number, as text; nil if the load does not exist.
    public func id(of number: Int64) throws -> String? {
        try database.reading { db in
            try db.first("SELECT seq, form, time, rule, entry FROM load WHERE seq = ?", [number]) {
                try ScannedRow($0).id
            }
        }
    }

    /// A summary of what could not be read and was left out, with an example; nil if there is none.
    public var leftOut: String? { damage.summary.map { ([$0] + damage.examples.prefix(1)).joined(separator: ": ") } }

    /// The number of loads that could not be read so far; not counted beyond ``StoreDamage/limit``.
    public var unreadableLoads: Int { damage.loads }

    /// Replaces the content of `batch` with the next loads, read in one snapshot. Loads that cannot be read, or that no
    /// shared store can keep, are left out and noted.
    ///
    /// - Parameters:
    ///   - count: the highest number of loads.
    ///   - bytes: the approximate limit for entries and new forms; one load may exceed it.
    public func fill(_ batch: inout Batch, behind number: Int64, count: Int, bytes: Int) throws {
        batch.removeAll()
        try database.reading { db in
            let current = try StoreGeneration.current(in: db)
            if current != generation { forms = WeighedCache(.rows, limit: 16 << 20, count: 4096) }
            generation = current
            batch.end = number
            let view = SQLiteView(db, noting: damage)
            var stored = StoredForms()
            var room = bytes
            try TableWalk.loads.forEach(from: number + 1, in: db, noting: damage) { row in
                batch.end = try row.number(0)
                let row = try ScannedRow(row)
                let known = serial
                let form = try place(of: row, in: view, &stored, &batch)
                try add(row, form, to: &batch)
                room -= row.entry.count + (serial == known ? 0 : batch.forms[form].bytes)
                return batch.loads.count < count && room > 0
            }
            batch.isLast = batch.loads.count < count && room > 0
            batch.emptyRecordings = try emptyRecordings(behind: number, upTo: batch.end, db)
        }
    }

    /// - Parameter form: the index of its form in the batch.
    private func add(_ row: ScannedRow, _ form: Int, to batch: inout Batch) throws {
        guard let id = LoadID(beginning: row.entry) else {
            throw StoreRow.Unreadable(description: "its id was not made by a gate")
        }
        let isPlain = PlainText.isPlain(UnsafeRawBufferPointer(row.entry))
        guard isPlain || PlainText.isKept(row.entry) else {
            throw StoreRow.Unreadable(description: "it contains text that a shared store cannot keep")
        }
        guard !row.rule.contains(0) else { throw StoreRow.Unreadable(description: "its rule is invalid") }
        let rule = batch.add { texts in
            guard !row.rule.isEmpty else { return false }
            if PlainText.isPlain(UnsafeRawBufferPointer(row.rule)) {
                texts.append(contentsOf: row.rule)
            } else {
                texts.append(contentsOf: String(decoding: row.rule, as: UTF8.self).utf8)
            }
            return true
        }
        let shared = batch.forms[form]
        let url = batch.add { shared.appendURL(of: row.entry, isPlain: isPlain, to: &$0) }
        let begin = batch.texts.count
        batch.texts.append(contentsOf: row.entry)
        batch.loads.append(
            SpooledLoad(
                number: row.place.number, id: id, time: row.time, form: form, rule: rule, url: url,
                entry: begin..<batch.texts.count))
    }

    private func place(
        of row: ScannedRow, in view: SQLiteView, _ stored: inout StoredForms, _ batch: inout Batch
    ) throws -> Int {
        if let known = batch.place(ofForm: row.form) { return known }
        return batch.add(try form(of: row, in: view, &stored), ofForm: row.form)
    }

    private func form(of row: ScannedRow, in view: SQLiteView, _ stored: inout StoredForms) throws -> SpooledForm {
        if let known = forms.value(for: row.form) { return known }
        let form = try stored.form(of: row, in: view)
        let handshake = try form.handshake.flatMap { number in
            try view.db.first("SELECT text FROM handshake WHERE id = ?", [number]) { try $0.text(0) }
        }
        serial += 1
        guard let made = SpooledForm(form, handshake: handshake, serial: serial) else {
            throw StoreRow.Unreadable(description: "its form contains text that a shared store cannot keep")
        }
        forms.keep(made, for: row.form, bytes: made.bytes)
        return made
    }

    private func emptyRecordings(
        behind number: Int64, upTo end: Int64, _ db: Database
    ) throws -> [(name: String, verdict: String, begin: Int64)] {
        var found: [(name: String, verdict: String, begin: Int64)] = []
        let sql = "SELECT recording, verdict, first_time FROM tally WHERE loads = 0 AND first_seq BETWEEN ? AND ?"
        try db.rows(of: db.cachedStatement(sql: sql), [number + 1, end + 1]) { row in
            found.append((try row.text(0), try row.text(1), try row.time(2)))
            return found.count < mostEmptyRecordings
        }
        return found
    }
}

private let mostEmptyRecordings = 1000

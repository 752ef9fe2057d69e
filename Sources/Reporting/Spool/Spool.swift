import Bytes
import Foundation
import GRDB
import Records

/// A store as whoever brings its loads into a shared one sees it. Gates go on recording into it meanwhile.
///
/// Not for several threads at once.
public final class Spool {
    public let path: String
    private let database: StoreConnection
    private let damage = StoreDamage()
    private var forms = WeighedCache<Int64, SpooledForm>(.rows, limit: 16 << 20, count: 4096)
    /// Of the store when they were met.
    private var generation: Int?
    private var serial = 0
    private let sync: (String) throws -> Void
    /// Loads up to this number stay, whatever happens to the machine; nil where nobody knows.
    private var durable: Int64?

    /// Opens a store that is there, a spool or any other.
    ///
    /// - Parameter sync: has the disk take what the file of this path was given; nil for fdatasync(2).
    /// - Throws: ``StoreError``.
    public init(
        path: String, sync: ((String) throws -> Void)? = nil
    ) throws(StoreError) {
        self.path = path
        self.sync = sync ?? { try StoreFile.sync($0) }
        guard try StoreFile.isThere(path) else { throw .missing(path: path) }
        database = try StoreSink.open(path: path)
        _ = try identity
    }

    /// Which spool it is, wherever the file is: 32 hexadecimal digits.
    public var identity: String {
        get throws(StoreError) { try database.reading { try SpoolState.ensured(in: $0).identity } }
    }

    /// The identity that it had first. Copies of the file have the same, whatever became of them.
    public var root: String {
        get throws(StoreError) {
            try database.reading { db in
                let state = try SpoolState.ensured(in: db)
                return state.root ?? state.identity
            }
        }
    }

    /// Returns once the loads up to `number` are on the disk. What is recorded is committed without a wait for it, and a
    /// power cut takes the last commits: without this, a shared store would have loads of which the spool knows nothing.
    ///
    /// Their pages are in SQLite's log, or were brought from there to the file, which checkpoints sync at every setting
    /// but OFF (sqlite.org/pragma.html#pragma_synchronous). The log has no locks that closing it would end
    /// (sqlite.org/walformat.html section 2.3): nobody who records waits.
    public func makeDurable(upTo number: Int64) throws {
        if let durable, number <= durable { return }
        let last = try last
        try sync(path + "-wal")
        durable = last
    }

    /// How far it was shipped, as far as it knows.
    public struct Mark: Sendable, Hashable {
        /// Loads up to this number are in the shared store.
        public var number: Int64
        /// The id of that load, as its text; nil for none.
        public var id: String?

        public init(number: Int64, id: String?) {
            self.number = number
            self.id = id
        }
    }

    /// What the file itself knows of how far it was shipped; nil for never.
    public var mark: Mark? {
        get throws {
            try database.reading { db in
                let state = try SpoolState.read(in: db)
                return state?.shipped.map { Mark(number: $0, id: state?.last) }
            }
        }
    }

    /// Notes how far it was shipped, so that old loads may go a day later.
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
    /// - Parameter identity: 32 hexadecimal digits in small letters.
    public func become(_ identity: String) throws {
        try database.writing { db in
            try Self.change(db) { ($0.identity, $0.root) = (identity, nil) }
        }
        durable = nil
    }

    /// Gives the file another identity, under which it is shipped from now on; its ``root`` stays.
    ///
    /// - Parameters:
    ///   - identity: 32 hexadecimal digits in small letters.
    ///   - mark: how far it was shipped, whatever the identity was.
    public func goOn(as identity: String, at mark: Mark) throws {
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

    /// The highest number that a load was given; 0 for none.
    public var last: Int64 { get throws { try database.reading { try StoreNumbers.last(in: $0) } } }

    /// The number of the first load that is there behind `number`; nil for none.
    public func first(behind number: Int64) throws -> Int64? {
        try database.reading { try $0.number("SELECT seq FROM load WHERE seq > ? ORDER BY seq LIMIT 1", [number]) }
    }

    /// The id of the load with this number, as its text; nil where it is not there.
    public func id(of number: Int64) throws -> String? {
        try database.reading { db in
            try db.first("SELECT seq, form, time, rule, entry FROM load WHERE seq = ?", [number]) {
                try ScannedRow($0).id
            }
        }
    }

    /// What could not be read, and is left out, with an example; nil for nothing.
    public var leftOut: String? { damage.summary.map { ([$0] + damage.examples.prefix(1)).joined(separator: ": ") } }

    /// How many loads could not be read so far; beyond ``StoreDamage/limit`` they are no longer counted.
    public var unreadableLoads: Int { damage.loads }

    /// Puts the next loads into `batch`, in place of what is there, as one moment has them. What cannot be read, or has
    /// what no shared store keeps, is left out and noted.
    ///
    /// - Parameters:
    ///   - count: loads at most.
    ///   - bytes: of entries and new forms, about; one load may have more.
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

    /// - Parameter form: its place in the batch.
    private func add(_ row: ScannedRow, _ form: Int, to batch: inout Batch) throws {
        guard let id = LoadID(beginning: row.entry) else {
            throw StoreRow.Unreadable(description: "its id is none that a gate gives")
        }
        let isPlain = PlainText.isPlain(UnsafeRawBufferPointer(row.entry))
        guard isPlain || PlainText.isKept(row.entry) else {
            throw StoreRow.Unreadable(description: "it is no text that a shared store keeps")
        }
        guard !row.rule.contains(0) else { throw StoreRow.Unreadable(description: "its rule is none") }
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
            throw StoreRow.Unreadable(description: "its form is no text that a shared store keeps")
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

import Bytes
import Foundation
import GRDB
package import Records

/// A store whose loads are shipped to a shared store. Gates may record into it at the same time.
///
/// Use it from one thread at a time.
public final class Spool {
    public let path: String
    private let database: StoreConnection
    private var shared = Spool.cache
    private var diagnoses = Spool.cache
    /// The recordings that were part of a batch.
    private var recordings: Set<String> = []
    /// The store's generation when the shared rows were read.
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

    /// How far the spool was shipped: loads up to this number are in the shared store. nil if it never was.
    public var shipped: Int64? { get throws { try database.reading { try SpoolState.read(in: $0)?.shipped } } }

    /// Notes how far the spool was shipped, so that old loads may be deleted a day later.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC; nil for the system's clock.
    public func note(shipped number: Int64, now: Int64? = nil) throws {
        try database.writing { db in
            try Self.change(db) { $0.shipped = number }
            try ShippedHours.note(number, at: now ?? Int64(Date().timeIntervalSince1970 * 1000), in: db)
        }
    }

    private static func change(_ db: Database, _ body: (inout SpoolState) -> Void) throws {
        var state = try SpoolState.ensured(in: db)
        body(&state)
        try state.write(to: db)
    }

    /// The highest number that a load was given; 0 if there was none.
    public var last: Int64 { get throws { try database.reading { try StoreNumbers.last(in: $0) } } }

    /// The number of the first existing load after `number`; nil if there is none.
    public func first(after number: Int64) throws -> Int64? {
        try database.reading { try $0.number("SELECT seq FROM load WHERE seq > ? ORDER BY seq LIMIT 1", [number]) }
    }

    /// The id of the load with this number; nil if the file has none.
    package func id(of number: Int64) throws -> LoadID? {
        try database.reading { try $0.first("SELECT id FROM load WHERE seq = ?", [number]) { try $0.id(0) } ?? nil }
    }

    /// The number of loads that were left out so far, because no shared store can keep their text. Each counts once,
    /// however often it is read.
    public private(set) var leftOut = 0
    private var lastLeftOut: Int64 = 0

    /// Replaces the content of `batch` with the next loads, read in one snapshot.
    ///
    /// - Parameters:
    ///   - count: the highest number of loads.
    ///   - bytes: the approximate limit for their texts; one load may exceed it.
    /// - Throws: ``StoreError``, also if the file is damaged.
    public func fill(_ batch: inout Batch, after number: Int64, count: Int, bytes: Int) throws {
        batch = Batch()
        batch.end = number
        try database.reading { db in
            let current = try StoreGeneration.current(in: db)
            if current != generation { (shared, diagnoses) = (Self.cache, Self.cache) }
            generation = current
            var room = bytes
            let sql = "SELECT seq, \(LoadColumns.names) FROM load WHERE seq > ? ORDER BY seq"
            try db.rows(of: db.cachedStatement(sql: sql), [number]) { row in
                batch.end = try row.number(0)
                let load = try LoadColumns(row)
                batch.last = load.id
                guard try isKept(load, in: db) else {
                    if batch.end > lastLeftOut { (leftOut, lastLeftOut) = (leftOut + 1, batch.end) }
                    return true
                }
                try add(load, to: &batch, &room, in: db)
                return batch.loads.count < count && room > 0
            }
            batch.isLast = batch.loads.count < count && room > 0
            batch.recordings = try newRecordings(in: db)
        }
    }

    private func add(_ load: LoadColumns, to batch: inout Batch, _ room: inout Int, in db: Database) throws {
        if batch.shared[load.shared] == nil {
            let row = try sharedRow(load.shared, in: db)
            batch.shared[load.shared] = row
            room -= row.bytes
        }
        if load.diagnosis != 0, batch.diagnoses[load.diagnosis] == nil {
            let row = try diagnosisRow(load.diagnosis, in: db)
            batch.diagnoses[load.diagnosis] = row
            room -= row.bytes
        }
        room -= load.path.utf8.count + (load.more?.utf8.count ?? 0) + 128
        batch.loads.append((batch.end, load))
    }

    /// False for text with U+0000, which PostgreSQL does not keep.
    private func isKept(_ load: LoadColumns, in db: Database) throws -> Bool {
        guard [load.path, load.client, load.method, load.more ?? ""].allSatisfy({ !$0.utf8.contains(0) }) else {
            return false
        }
        let rows =
            try [sharedRow(load.shared, in: db)] + (load.diagnosis == 0 ? [] : [diagnosisRow(load.diagnosis, in: db)])
        return rows.allSatisfy(\.isKept)
    }

    private func sharedRow(_ number: Int64, in db: Database) throws -> SpooledRow {
        if let known = shared.value(for: number) { return known }
        let names = SpooledRow.sharedColumns
        let found = try db.first(
            "SELECT \(names.joined(separator: ", ")), handshake FROM shared WHERE id = ?", [number]
        ) {
            row in
            (try names.indices.map { try row.textIfAny(Int32($0)) }, try row.place(Int32(names.count)))
        }
        guard let (values, handshake) = found else {
            throw StoreRow.Unreadable(description: "shared row \(number) is missing")
        }
        let text = try handshake.flatMap { number in
            try db.first("SELECT text FROM handshake WHERE id = ?", [number]) { try $0.text(0) }
        }
        let row = newRow(values, handshake: text)
        shared.keep(row, for: number, bytes: row.bytes)
        return row
    }

    private func diagnosisRow(_ number: Int64, in db: Database) throws -> SpooledRow {
        if let known = diagnoses.value(for: number) { return known }
        let found = try db.first("SELECT rule, text FROM diagnosis WHERE id = ?", [number]) { row in
            [try row.textIfAny(0), try row.text(1)]
        }
        guard let values = found else { throw StoreRow.Unreadable(description: "diagnosis \(number) is missing") }
        let row = newRow(values, handshake: nil)
        diagnoses.keep(row, for: number, bytes: row.bytes)
        return row
    }

    private func newRow(_ values: [String?], handshake: String?) -> SpooledRow {
        serial += 1
        return SpooledRow(serial: serial, values: values, handshake: handshake)
    }

    /// The recordings that no batch has had.
    private func newRecordings(in db: Database) throws -> [(name: String, begin: Int64)] {
        var found: [(name: String, begin: Int64)] = []
        try db.forEachRow("SELECT name, begun FROM recording") { row in
            let name = try row.text(0)
            if !name.utf8.contains(0), recordings.insert(name).inserted { found.append((name, try row.time(1))) }
            return true
        }
        return found
    }

    private static var cache: WeighedCache<Int64, SpooledRow> { WeighedCache(.rows, limit: 16 << 20, count: 4096) }

    /// Loads after one number, in order, with the rows that they share. Refilled by
    /// ``Spool/fill(_:after:count:bytes:)``.
    public struct Batch: Sendable {
        /// The loads by the numbers of their rows.
        package internal(set) var loads: [(number: Int64, columns: LoadColumns)] = []
        /// The shared rows and the diagnoses of the loads, by their numbers.
        package internal(set) var shared: [Int64: SpooledRow] = [:]
        package internal(set) var diagnoses: [Int64: SpooledRow] = [:]
        /// The number of the last row that was read. All loads up to it were read.
        package internal(set) var end: Int64 = 0
        /// The id of that row; nil if none was read.
        package internal(set) var last: LoadID?
        /// True if the spool has no more loads yet.
        public internal(set) var isLast = true
        /// Recordings that began since the last batch, with their start in milliseconds since 1970-01-01 UTC.
        package var recordings: [(name: String, begin: Int64)] = []

        public init() {}
    }
}

/// A row that loads share, to be shipped to a shared store.
package final class SpooledRow: Sendable {
    /// A number that is unique in this process. A row that is read again gets another.
    package let serial: Int
    /// The values of its columns, in the order of ``sharedColumns`` or ``diagnosisColumns``.
    package let values: [String?]
    /// The text of the handshake; nil if there was none, and for a diagnosis.
    package let handshake: String?
    /// False if a text has U+0000. Found once for a row, which thousands of loads share.
    let isKept: Bool

    init(serial: Int, values: [String?], handshake: String?) {
        self.serial = serial
        self.values = values
        self.handshake = handshake
        isKept = (values + [handshake]).allSatisfy { $0?.utf8.contains(0) != true }
    }

    /// The columns of a shared row, and those of a diagnosis.
    package static let sharedColumns = [
        "recording", "host", "verdict", "os", "label", "entrance", "policy", "bundle", "mode", "text",
    ]
    package static let diagnosisColumns = ["rule", "text"]

    /// The approximate size in memory.
    var bytes: Int { values.reduce((handshake?.utf8.count ?? 0) + 128) { $0 + ($1?.utf8.count ?? 0) } }
}

/// The right to ship a spool, into which several gates of one machine may record. The lock is on its own file,
/// FILE.ship, because closing a database outside SQLite releases SQLite's locks (sqlite.org/howtocorrupt.html section
/// 2.2). It ends with its process, so a crash leaves no lock. Source: flock(2).
public final class SpoolLock: Sendable {
    /// The suffix after the spool's path.
    public static let ending = ".ship"

    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Returns: nil if another process, or another part of this one, has it.
    /// - Throws: ``StoreError/cannotOpen(path:cause:)`` if the file cannot be created.
    public init?(of spool: String) throws(StoreError) {
        descriptor = open(spool + Self.ending, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .cannotOpen(path: spool + Self.ending, cause: String(cString: strerror(errno)))
        }
        // All properties are set here, so `deinit` closes the file even if this returns nil.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit { close(descriptor) }
}

/// The store's description of itself: the one row of `meta`.
struct SpoolState: Equatable {
    /// The store's identity, wherever the file is: 32 hexadecimal digits. A copy of the file has the same.
    var identity: String
    /// The highest number that a load had; see ``StoreNumbers``.
    var high: Int64 = 0
    /// True if loads stay until they are in a shared store, to which gates that record here ship them.
    var isSpool = false
    /// Loads up to this number are in a shared store; nil if the store was never shipped.
    var shipped: Int64?
    /// Loads that were deleted before they could be shipped.
    var dropped: Int64 = 0

    fileprivate init(_ row: StoreRow) throws(StoreRow.Unreadable) {
        identity = try row.text(0)
        guard isIdentity(identity) else {
            throw StoreRow.Unreadable(description: "its identity is invalid")
        }
        isSpool = try row.number(4) != 0
        high = try row.count(1)
        shipped = row.isNull(2) ? nil : try row.count(2)
        dropped = try row.count(3)
    }

    /// The state of a store ; nil if the row was removed.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``.
    static func read(in db: Database) throws -> SpoolState? {
        try db.first("SELECT spool, high, shipped, dropped, waits FROM meta") { try SpoolState($0) }
    }

    /// The state of a store.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``, also if the row was removed.
    static func ensured(in db: Database) throws -> SpoolState {
        guard let state = try read(in: db) else { throw StoreRow.Unreadable(description: "its identity is missing") }
        return state
    }

    /// Makes the store a spool, which notes how far it was shipped.
    static func makeSpool(in db: Database) throws {
        var state = try ensured(in: db)
        guard !state.isSpool else { return }
        state.isSpool = true
        state.shipped = state.shipped ?? 0
        try state.write(to: db)
    }

    /// Replaces the row in the store.
    func write(to db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO meta VALUES (1, ?, ?, ?, ?, ?)").execute(
            arguments: [identity, high, shipped, dropped, isSpool])
    }

    /// Counts the loads before `end` that were not shipped. Call it in the transaction that deletes them, before the
    /// deletion.
    ///
    /// - Returns: the number of loads that were not shipped.
    static func countDropped(before end: Int64, in db: Database) throws -> Int {
        guard var state = try read(in: db) else { return 0 }
        let sql = "SELECT count(*) FROM load WHERE seq > ? AND seq < ?"
        let count = try db.number(sql, [state.shipped ?? 0, end]) ?? 0
        guard count > 0 else { return 0 }
        state.dropped += count
        try state.write(to: db)
        return Int(count)
    }
}

/// 128 bits.
private let identityLength = 32
private func isIdentity(_ text: String) -> Bool { text.utf8.count == identityLength && text.utf8.allSatisfy(isDigit) }
private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}

/// The loads of a spool that were shipped in each hour, for a day. A shared store that is restored from yesterday's
/// backup needs later loads again, so the spool keeps them that long.
enum ShippedHours {
    /// Notes how far the spool was shipped, in the same transaction.
    ///
    /// - Parameters:
    ///   - number: loads up to this number are in the shared store, and no others.
    ///   - now: milliseconds since 1970-01-01 UTC.
    static func note(_ number: Int64, at now: Int64, in db: Database) throws {
        let hour = now / millisecondsOfAnHour
        // Rows from a wrong clock, and rows for loads that the shared store has lost, count as shipped now.
        try db.cachedStatement(sql: "DELETE FROM shipped WHERE hour >= ? OR number > ?").execute(
            arguments: [hour, number])
        try db.cachedStatement(sql: "INSERT INTO shipped VALUES (?, ?)").execute(arguments: [hour, number])
        // Of the hours that are a day old, only the newest is needed.
        try db.cachedStatement(
            sql: "DELETE FROM shipped WHERE hour < (SELECT max(hour) FROM shipped WHERE hour <= ?)"
        ).execute(arguments: [hour - hoursKept])
    }

    /// Loads up to this number were shipped a day ago or earlier; 0 if there are none, or none are noted.
    static func last(before now: Int64, in db: Database) throws -> Int64 {
        try db.number(
            "SELECT max(number) FROM shipped WHERE hour <= ?",
            [now / millisecondsOfAnHour - hoursKept]) ?? 0
    }
}

private let millisecondsOfAnHour: Int64 = 3_600_000
/// The newest hour that ended a day ago.
private let hoursKept: Int64 = 25

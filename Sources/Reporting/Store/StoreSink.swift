import Files
import Foundation
import GRDB
public import Records
import Synchronization

/// Stores records in an SQLite file, one transaction per batch. A record is acknowledged when its batch is committed.
public final class StoreSink: RecordSink {
    public let name = "store"
    public var kind: SinkKind { .store }
    private let database: StoreConnection
    private let clock: @Sendable () -> Int64
    private let writer = Mutex(StoreWriter())
    private let watch: Mutex<SizeWatch>

    /// Opens the file, or creates it for this user alone. Its folder must exist.
    ///
    /// - Parameters:
    ///   - pageLimit: the largest file in pages of 4,096 bytes; nil for SQLite's own limit.
    ///   - retention: loads beyond this age or size are deleted, now and while the sink is open.
    ///   - spoolLimit: makes the store a spool with this many bytes: loads stay until they are shipped or the limit is
    ///     reached.
    ///   - clock: milliseconds since 1970-01-01 UTC, for `retention`; nil for the system's.
    ///   - onNotice: called with messages for the user, for example that the store has grown large.
    /// - Throws: ``StoreError`` that names `path`.
    public init(
        path: String, pageLimit: Int? = nil, retention: Retention? = nil, spoolLimit: Int64? = nil,
        onNotice: @escaping @Sendable (String) -> Void = { _ in }, clock: (@Sendable () -> Int64)? = nil
    ) throws(StoreError) {
        self.clock = clock ?? { Int64(Date().timeIntervalSince1970 * 1000) }
        watch = Mutex(SizeWatch(path: path, retention: retention, spoolLimit: spoolLimit, onNotice: onNotice))
        do {
            try StoreFile.prepare(path)
            let exposure = FileExposure(at: path)
            let words = exposure.words(for: path)
            if exposure.isRefused, let words { throw StoreError.cannotOpen(path: path, cause: words) }
            words.map(onNotice)
            database = try Self.open(path: path, pageLimit: pageLimit)
            if spoolLimit != nil { try database.write { try SpoolState.makeSpool(in: $0) } }
        } catch {
            throw StoreSchema.explained(error, path: path)
        }
        watch.withLock { $0.look(at: database, filed: 0, now: self.clock()) }
    }

    public func write(_ records: [LoadRecord]) throws {
        do {
            try writer.withLock { writer in
                do {
                    try database.write(.loads(records.count)) { try writer.write(records, to: $0) }
                } catch {
                    // The rollback removed the forms of this batch.
                    writer = StoreWriter()
                    throw error
                }
            }
            watch.withLock { $0.look(at: database, filed: records.count, now: clock()) }
        } catch let error as DatabaseError {
            // Only SQLite's message: the whole error repeats the statement.
            throw PartialWrite(recorded: 0, cause: error.words)
        }
    }

    /// The number of loads in the recording `recording`.
    ///
    /// - Throws: ``StoreError``.
    public func loads(of recording: String) throws(StoreError) -> Int {
        try database.reading { db in
            var loads = 0
            try db.forEachRow("SELECT loads FROM tally WHERE recording = ?", [recording]) { row in
                // ``StoreCheck`` reports rows that cannot be read.
                loads += Int((try? row.count(0)) ?? 0)
                return true
            }
            return loads
        }
    }

    /// Begins a recording, which then exists even without loads. An existing recording is unchanged.
    ///
    /// - Throws: ``StoreError``.
    public func begin(_ recording: String) throws(StoreError) {
        let now = clock()
        try database.writing { db in try StoreWriter.begin(recording, at: now, in: db) }
    }

    /// The number of the newest row, even if that row was deleted; 0 if there was none.
    ///
    /// - Throws: ``StoreError``.
    public func lastRow() throws(StoreError) -> Int64 { try database.reading { try StoreNumbers.last(in: $0) } }

    public func close() throws {
        watch.withLock { $0.reportDropped() }
        try database.close()
    }

    static func open(path: String, pageLimit: Int? = nil) throws(StoreError) -> StoreConnection {
        do { return try connection(to: path, pageLimit) } catch { throw StoreSchema.explained(error, path: path) }
    }

    private static func connection(to path: String, _ pageLimit: Int?) throws -> StoreConnection {
        let database = try StoreConnection(path: path) { configuration in
            configuration.prepareDatabase { db in
                // With a write-ahead log, NORMAL keeps the file intact after any crash; only a power cut can lose the
                // last batches (sqlite.org/pragma.html#pragma_synchronous). Shipping waits for the disk:
                // Spool.makeDurable(upTo:).
                try db.execute(sql: "PRAGMA synchronous = NORMAL")
                try db.execute(sql: "PRAGMA wal_autocheckpoint = \(checkpointPages)")
                // Debian's SQLite overwrites all deleted data with zeros, which writes each freed page again
                // (sqlite.org/pragma.html#pragma_secure_delete).
                try db.execute(sql: "PRAGMA secure_delete = FAST")
                if let pageLimit { try db.execute(sql: "PRAGMA max_page_count = \(pageLimit)") }
            }
        }
        // Check first: changing the journal mode would write into a file that may not be ours.
        _ = try database.read { try StoreSchema.isMade(in: $0, path: path) }
        do {
            try prepare(database)
        } catch let error as DatabaseError where !error.isDamage {
            // If two gates open a new file at the same time, both try to create its tables; the later one checks again.
            try prepare(database)
        }
        return database
    }

    private static func prepare(_ database: StoreConnection) throws {
        try database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = WAL") }
        let isMade = { (db: Database) in try StoreSchema.isMade(in: db, path: database.path) }
        if try !database.read(isMade) {
            try database.write { db in
                if try !isMade(db) { try StoreSchema.make(in: db) }
            }
        }
        if try database.read({ try SpoolState.read(in: $0) }) == nil {
            _ = try database.write { try SpoolState.ensured(in: $0) }
        }
    }
}

/// 16 MB of log between two checkpoints, each of which waits for the disk.
private let checkpointPages = 4096

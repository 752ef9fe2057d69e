import Files
import Foundation
import GRDB
public import Records
import Synchronization

/// Stores records in an SQLite file, one transaction per batch. A record is acknowledged when its batch is committed.
public final class StoreSink: RecordSink {
    public let name = "store"
    public var kind: SinkKind { isInMemory ? .inner : .store }
    /// True if it keeps only the newest loads, in memory.
    public let isInMemory: Bool
    /// The number of loads that a store in memory keeps.
    private let limit: Int64?
    private let database: StoreConnection
    private let clock: @Sendable () -> Int64
    private let writer = Mutex(StoreWriter())
    private let watch: Mutex<SizeWatch>
    /// The loads stored in memory since old ones were deleted.
    private let sinceForgotten = Atomic(0)

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
        isInMemory = false
        limit = nil
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

    /// A store in memory. Counts stay exact.
    ///
    /// - Parameter limit: the number of loads that are kept, the newest ones and the first of each group; nil for all.
    /// - Throws: ``StoreError``.
    public init(limit: Int64? = loadsInMemory) throws(StoreError) {
        self.limit = limit
        isInMemory = true
        clock = { Int64(Date().timeIntervalSince1970 * 1000) }
        watch = Mutex(SizeWatch(path: "", retention: nil) { _ in })
        do {
            database = try StoreConnection(path: nil) { _ in }
            try database.write { try StoreSchema.make(in: $0) }
        } catch {
            throw StoreSchema.explained(error, path: "the store in memory")
        }
    }

    /// The number of loads that a gate without a store keeps.
    public static let loadsInMemory: Int64 = 50_000

    /// Deletes old loads of a store in memory, but not from the tallies.
    private func forgetOldest(_ filed: Int) throws {
        guard let limit, sinceForgotten.add(filed, ordering: .relaxed).newValue > StorePruning.chunk else { return }
        sinceForgotten.store(0, ordering: .relaxed)
        try database.write { db in
            try db.execute(
                sql: "DELETE FROM load WHERE seq <= ? AND seq NOT IN (SELECT first_seq FROM tally)",
                arguments: [try StoreNumbers.last(in: db) - limit])
        }
    }

    /// A reader of this store with the same connection, for a store in memory.
    public var reader: StoreReader { StoreReader(source) }

    var source: FileSource { FileSource(database) }

    public func write(_ records: [LoadRecord]) throws {
        do {
            try writer.withLock { writer in
                do {
                    try database.write { try writer.write(records, to: $0) }
                } catch {
                    // The rollback removed the shared rows of this batch.
                    writer = StoreWriter()
                    throw error
                }
            }
            if isInMemory {
                try forgetOldest(records.count)
            } else {
                watch.withLock { $0.look(at: database, filed: records.count, now: clock()) }
            }
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
            let sql = "SELECT sum(loads) FROM tally JOIN shared ON shared.id = tally.shared WHERE recording = ?"
            return Int(try db.number(sql, [recording]) ?? 0)
        }
    }

    /// Begins a recording, which then exists even without loads. An existing recording is unchanged.
    ///
    /// - Throws: ``StoreError``.
    ///
    /// - Parameter time: when it began, in milliseconds since 1970-01-01 UTC; nil for now.
    public func begin(_ recording: String, at time: Int64? = nil) throws(StoreError) {
        let time = time ?? clock()
        try database.writing { db in try StoreWriter.begin(recording, at: time, in: db) }
    }

    /// The number of the newest row, even if that row was deleted; 0 if there was none.
    ///
    /// - Throws: ``StoreError``.
    public func lastRow() throws(StoreError) -> Int64 { try database.reading { try StoreNumbers.last(in: $0) } }

    public func close() throws {
        watch.withLock { $0.reportDropped() }
        // A store in memory is judged and reported after the gate's end.
        if !isInMemory { try database.close() }
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
    }
}

/// 16 MB of log between two checkpoints, each of which waits for the disk.
private let checkpointPages = 4096

import Files
import Foundation
import GRDB
public import Records
import Synchronization

/// Keeps records in an SQLite file. One transaction per batch: a record is acknowledged when its batch is committed.
public final class StoreSink: RecordSink {
    public let name = "store"
    public var kind: SinkKind { .store }
    private let database: StoreConnection
    private let clock: @Sendable () -> Int64
    private let writer = Mutex(StoreWriter())
    private let watch: Mutex<SizeWatch>

    /// Opens the file, or makes it for this user alone. Its folder has to be there.
    ///
    /// - Parameters:
    ///   - pageLimit: longest file in pages of 4,096 bytes; nil is SQLite's own limit.
    ///   - retention: what is older, or more, is taken out: now, and while the sink is open.
    ///   - spoolLimit: makes it a spool, of so many bytes: what is not shipped stays until there are more.
    ///   - clock: milliseconds since 1970-01-01 UTC, for `retention`; nil for the system's.
    ///   - onNotice: told what people may want to know, such as a store that has grown large.
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
                    // Forms that this batch brought are gone with it.
                    writer = StoreWriter()
                    throw error
                }
            }
            watch.withLock { $0.look(at: database, filed: records.count, now: clock()) }
        } catch let error as DatabaseError {
            // The whole error repeats the statement; people need only SQLite's words.
            throw PartialWrite(recorded: 0, cause: error.words)
        }
    }

    /// How many loads the store has under the name `recording`.
    ///
    /// - Throws: ``StoreError``.
    public func loads(of recording: String) throws(StoreError) -> Int {
        try database.reading { db in
            var loads = 0
            try db.forEachRow("SELECT loads FROM tally WHERE recording = ?", [recording]) { row in
                // One that cannot be read is for ``StoreCheck`` to tell.
                loads += Int((try? row.count(0)) ?? 0)
                return true
            }
            return loads
        }
    }

    /// Begins a recording: from now on the store has it, though no load may ever come. One that is there stays as it is.
    ///
    /// - Throws: ``StoreError``.
    public func begin(_ recording: String) throws(StoreError) {
        let now = clock()
        try database.writing { db in try StoreWriter.begin(recording, at: now, in: db) }
    }

    /// The number of the row that was filed last, whether it is still there or not; 0 where there was none.
    ///
    /// - Throws: ``StoreError``.
    public func lastRow() throws(StoreError) -> Int64 { try database.reading { try StoreNumbers.last(in: $0) } }

    public func close() throws {
        watch.withLock { $0.tellOfDropped() }
        try database.close()
    }

    static func open(path: String, pageLimit: Int? = nil) throws(StoreError) -> StoreConnection {
        do { return try connection(to: path, pageLimit) } catch { throw StoreSchema.explained(error, path: path) }
    }

    private static func connection(to path: String, _ pageLimit: Int?) throws -> StoreConnection {
        let database = try StoreConnection(path: path) { configuration in
            configuration.prepareDatabase { db in
                // With a write-ahead log, NORMAL keeps the file whole at any crash; only a power cut can take the last
                // batches (sqlite.org/pragma.html#pragma_synchronous). Who ships them waits: Spool.makeDurable(upTo:).
                try db.execute(sql: "PRAGMA synchronous = NORMAL")
                try db.execute(sql: "PRAGMA wal_autocheckpoint = \(checkpointPages)")
                // Debian's SQLite writes zeros over all that is deleted, which doubled the file while an older store
                // was migrated (sqlite.org/pragma.html#pragma_secure_delete).
                try db.execute(sql: "PRAGMA secure_delete = FAST")
                if let pageLimit { try db.execute(sql: "PRAGMA max_page_count = \(pageLimit)") }
            }
        }
        // Look first: changing the journal mode would write into a file that may not be ours.
        _ = try database.read { try StoreSchema.check($0, path: path) }
        do {
            try prepare(database)
        } catch let error as DatabaseError where !error.isDamage {
            // Two gates that open a new file at once both try to make its tables; the late one looks again.
            try prepare(database)
        }
        return database
    }

    private static func prepare(_ database: StoreConnection) throws {
        try database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = WAL") }
        try database.migrate()
        if try database.read({ try SpoolState.read(in: $0) }) == nil {
            _ = try database.write { try SpoolState.ensured(in: $0) }
        }
    }
}

/// 16 MB of log between two checkpoints, each of which waits for the disk.
private let checkpointPages = 4096

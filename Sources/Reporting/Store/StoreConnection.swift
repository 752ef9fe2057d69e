import GRDB
import GRDBSQLite

/// A connection to a store's file, or to a store in memory.
///
/// A file may come from anyone. So it must have exactly our tables, its schema is not trusted, its pages are checked
/// when they are read, and every value is checked by ``StoreRow``. Source of the settings: sqlite.org/security.html
/// section 1.2.
struct StoreConnection: Sendable {
    let path: String
    private let queue: DatabaseQueue

    /// - Parameters:
    ///   - path: nil for a store in memory.
    ///   - configure: additional configuration of this connection.
    init(path: String?, _ configure: (inout Configuration) -> Void) throws {
        self.path = path ?? "the store in memory"
        var configuration = Configuration()
        configuration.label = "atsgate.store"
        // Another gate may be writing a batch, or a report may be reading.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            // On macOS fsync(2) leaves bytes in the drive's memory. No effect elsewhere (SQLite, PRAGMA
            // checkpoint_fullfsync).
            try db.execute(sql: "PRAGMA checkpoint_fullfsync = 1")
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try db.execute(sql: "PRAGMA cell_size_check = ON")
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, longestValue)
        }
        configure(&configuration)
        queue =
            try path.map { try DatabaseQueue(path: $0, configuration: configuration) }
            ?? DatabaseQueue(configuration: configuration)
    }

    func read<Answer>(_ body: (Database) throws -> Answer) throws -> Answer { try queue.read(body) }

    /// Reads without one consistent snapshot. ``read(_:)`` makes the connection `query_only` and back, after which
    /// SQLite 3.40 prepares all its statements again.
    func look<Answer>(_ body: (Database) throws -> Answer) throws -> Answer { try queue.unsafeRead(body) }

    func write<Answer>(_ body: (Database) throws -> Answer) throws -> Answer { try queue.write(body) }

    /// Reads, with errors that name the file.
    func reading<Answer>(_ body: (Database) throws -> Answer) throws(StoreError) -> Answer {
        do { return try read(body) } catch { throw StoreSchema.explained(error, path: path) }
    }

    /// Writes, with errors that name the file.
    func writing<Answer>(_ body: (Database) throws -> Answer) throws(StoreError) -> Answer {
        do { return try write(body) } catch { throw StoreSchema.explained(error, path: path) }
    }

    func writeWithoutTransaction(_ body: (Database) throws -> Void) throws {
        try queue.writeWithoutTransaction(body)
    }

    func close() throws { try queue.close() }
}

/// In bytes: more than the longest text of a store.
private let longestValue: Int32 = 4 << 20

import Foundation
import GRDB
import GRDBSQLite
import Records
import Text

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

/// The file of a store, before SQLite opens it and when it is complete.
enum StoreFile {
    /// True if the file exists and SQLite may open it. It is not opened for this check: a pipe would block, and closing
    /// a descriptor that is not SQLite's releases SQLite's locks (sqlite.org/howtocorrupt.html section 2.2).
    ///
    /// - Throws: ``StoreError/notAFile(path:)``.
    static func exists(_ path: String) throws(StoreError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        return true
    }

    /// Flushes the file to disk, and waits for completion. A missing file is not an error. Not for a file on which this
    /// process holds SQLite's locks, such as an open database: this opens and closes the file.
    ///
    /// - Throws: ``StoreError/cannotOpen(path:cause:)``.
    static func sync(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return }
        defer { if descriptor >= 0 { close(descriptor) } }
        #if canImport(Darwin)
        // On Darwin fsync leaves the data in the drive's cache: fcntl(2).
        let isDone = descriptor >= 0 && (fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0)
        #else
        let isDone = descriptor >= 0 && fdatasync(descriptor) == 0
        #endif
        guard isDone else { throw .cannotOpen(path: path, cause: String(cString: strerror(errno))) }
    }

    /// The system's reason why the file cannot be written, which SQLite does not report: its errors are "unable to open
    /// database file" and "disk I/O error" (sqlite.org/rescode.html); nil if unknown.
    ///
    /// - Parameter isFull: true if SQLite found no space, which it may have freed since.
    static func obstacle(at path: String, isFull: Bool = false) -> String? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var system = statvfs()
        if isFull || statvfs(folder, &system) == 0 && system.f_bavail == 0 { return SystemWords.error(ENOSPC) }
        // The log and the index need the folder, too.
        let places = [folder] + (access(path, F_OK) == 0 ? [path] : [])
        return places.lazy.compactMap { access($0, W_OK) == 0 ? nil : SystemWords.error(errno) }.first
    }

    /// Creates an empty file, which SQLite treats as a new database, that only its owner can read. SQLite gives its log
    /// and its index the same mode (sqlite.org/wal.html). An existing file is left unchanged.
    ///
    /// - Throws: ``StoreError/missingFolder(path:folder:)``, ``StoreError/notAFile(path:)``.
    static func prepare(_ path: String) throws(StoreError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(folder, F_OK) == 0 else { throw .missingFolder(path: path, folder: folder) }
        if try exists(path) { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // SQLite reports other problems with the path.
        if descriptor >= 0 { close(descriptor) }
    }
}

/// One row of a result. Valid only during the call that receives it. All values of a store's file are read through this
/// type: SQLite stores any type in any column (sqlite.org/flextypegood.html), so a value of an unexpected type or size
/// is an error. GRDB's own rows would end the process.
struct StoreRow {
    private let statement: OpaquePointer?

    init(_ statement: OpaquePointer?) {
        self.statement = statement
    }

    /// The reason why a row cannot be used.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: ``Unreadable``, also for NULL.
    func number(_ column: Int32) throws(Unreadable) -> Int64 {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { throw unreadable(column, "a number") }
        return sqlite3_column_int64(statement, column)
    }

    /// A number of things: 0 or more, and small enough that sums do not overflow.
    func count(_ column: Int32) throws(Unreadable) -> Int64 {
        let number = try number(column)
        guard (0...mostThings).contains(number) else { throw unreadable(column, "a count") }
        return number
    }

    /// Milliseconds since 1970-01-01 UTC, up to the year 9999; differences do not overflow.
    func time(_ column: Int32) throws(Unreadable) -> Int64 {
        let number = try number(column)
        guard (-lastTime...lastTime).contains(number) else { throw unreadable(column, "a time") }
        return number
    }

    /// The number of a row; nil for NULL. Differences do not overflow.
    func place(_ column: Int32) throws(Unreadable) -> Int64? {
        if isNull(column) { return nil }
        let number = try number(column)
        guard (-lastPlace...lastPlace).contains(number) else { throw unreadable(column, "the number of a row") }
        return number
    }

    /// UTF-8.
    func text(_ column: Int32) throws(Unreadable) -> String {
        guard let text = String(validating: try bytes(column), as: UTF8.self) else {
            throw unreadable(column, "text in UTF-8")
        }
        return text
    }

    /// The 16 bytes of an id; nil for NULL and any other value.
    func id(_ column: Int32) throws(Unreadable) -> LoadID? {
        guard sqlite3_column_type(statement, column) == SQLITE_BLOB, let bytes = sqlite3_column_blob(statement, column),
            sqlite3_column_bytes(statement, column) == 16
        else { return nil }
        let high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        return LoadID(high: high, low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    func textIfAny(_ column: Int32) throws(Unreadable) -> String? { isNull(column) ? nil : try text(column) }

    /// The bytes of a text. The text is requested before its length, because SQLite may convert it
    /// (sqlite.org/c3ref/column_blob.html).
    func bytes(_ column: Int32) throws(Unreadable) -> UnsafeBufferPointer<UInt8> {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT else { throw unreadable(column, "text") }
        let text = sqlite3_column_text(statement, column)
        return UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, column)))
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    private func unreadable(_ column: Int32, _ wanted: String) -> Unreadable {
        let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "column \(column)"
        return Unreadable(description: "its \(name) is not \(wanted)")
    }
}

extension Database {
    /// Calls `body` with each row of a result.
    ///
    /// - Parameter body: returns true to continue.
    /// - Throws: `DatabaseError`, and what `body` throws.
    func forEachRow(
        _ sql: String, _ arguments: StatementArguments = StatementArguments(), _ body: (StoreRow) throws -> Bool
    ) throws {
        try rows(of: makeStatement(sql: sql), arguments, body)
    }

    /// The first row, converted by `read`; nil if there is none.
    func first<Value>(
        _ sql: String, _ arguments: StatementArguments = StatementArguments(), _ read: (StoreRow) throws -> Value
    ) throws -> Value? {
        var value: Value?
        try rows(of: cachedStatement(sql: sql), arguments) { row in
            value = try read(row)
            return false
        }
        return value
    }

    /// The number in the first row; nil for NULL or no row.
    func number(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Int64? {
        try first(sql, arguments) { $0.isNull(0) ? nil : try $0.number(0) } ?? nil
    }

    /// - Parameter statement: must not be in use until this returns.
    func rows(
        of statement: Statement, _ arguments: StatementArguments, _ body: (StoreRow) throws -> Bool
    ) throws {
        try statement.setArguments(arguments)
        let handle = statement.sqliteStatement
        sqlite3_reset(handle)
        defer { sqlite3_reset(handle) }
        let row = StoreRow(handle)
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: guard try body(row) else { return }
            case SQLITE_DONE: return
            case let code:
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(sqliteConnection)))
            }
        }
    }
}

/// The end of the year 9999, in milliseconds since 1970-01-01 UTC.
private let lastTime: Int64 = 253_402_300_799_999
private let lastPlace: Int64 = 1 << 61
private let mostThings: Int64 = 1 << 48

import Foundation
import GRDB
import GRDBSQLite
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

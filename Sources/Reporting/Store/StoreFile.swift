import Foundation
import GRDB

/// The file of a store before SQLite opens it, and once it is to be sent away.
enum StoreFile {
    /// Whether there is a file that SQLite may open. It is looked at and not opened: a pipe would wait for its other end,
    /// and closing a database beside SQLite ends its locks (sqlite.org/howtocorrupt.html section 2.2).
    ///
    /// - Throws: ``StoreError/notAFile(path:)``.
    static func isThere(_ path: String) throws(StoreError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        return true
    }

    /// Has what was written to the file go to its disk, and waits for that; a file that is not there has nothing to write.
    /// It is opened for that, and closed: not to be used for one that SQLite has locks on, as the database itself.
    ///
    /// - Throws: ``StoreError/cannotOpen(path:cause:)``.
    static func sync(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return }
        defer { if descriptor >= 0 { close(descriptor) } }
        #if canImport(Darwin)
        // fsync leaves it in the drive's own memory there: fcntl(2).
        let isDone = descriptor >= 0 && (fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0)
        #else
        let isDone = descriptor >= 0 && fdatasync(descriptor) == 0
        #endif
        guard isDone else { throw .cannotOpen(path: path, cause: String(cString: strerror(errno))) }
    }

    /// In bytes, with its log; 0 for none.
    static func size(_ path: String) -> Int64 {
        ["", "-wal"].reduce(0) { sum, suffix in
            var status = stat()
            return stat(path + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
        }
    }

    /// Makes an empty file that only its owner can read: SQLite gives its log and its index the same mode
    /// (sqlite.org/wal.html), and an empty file is a new database. A file that is there stays as it is.
    ///
    /// - Throws: ``StoreError/missingFolder(path:folder:)``, ``StoreError/notAFile(path:)``.
    static func prepare(_ path: String) throws(StoreError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(folder, F_OK) == 0 else { throw .missingFolder(path: path, folder: folder) }
        if try isThere(path) { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // What else is wrong with the path, SQLite says.
        if descriptor >= 0 { close(descriptor) }
    }

    /// The same, in place of what is there: an export of before, or any other file.
    ///
    /// - Throws: as ``prepare(_:)``.
    static func makeAnew(_ path: String) throws(StoreError) {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        try prepare(path)
    }

    /// Leaves all of a database in its one file, and nothing beside it (sqlite.org/wal.html).
    static func settle(_ database: StoreConnection) throws {
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "VACUUM")
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
        }
    }
}

import Foundation
import GRDB
import Text

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

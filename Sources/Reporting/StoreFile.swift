import Foundation

/// The file of a store before SQLite opens it.
enum StoreFile {
    /// Makes an empty file that only its owner can read: SQLite gives its log and its index the same mode
    /// (sqlite.org/wal.html), and an empty file is a new database. A file that is there stays as it is.
    ///
    /// - Throws: ``StoreError/missingFolder(path:)``.
    static func prepare(_ path: String) throws(StoreError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(folder, F_OK) == 0 else { throw .missingFolder(path: path, folder: folder) }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // What else is wrong with the path, SQLite says.
        if descriptor >= 0 { close(descriptor) }
    }
}

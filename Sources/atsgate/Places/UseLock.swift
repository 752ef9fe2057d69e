import Foundation

/// Says by a lock of the system that a file is in use, for as long as this object, or its process, lives: a crash leaves
/// no lock behind. Source: flock(2).
final class UseLock: Sendable {
    private let descriptor: Int32

    /// Others may share it, and nobody can have the file alone meanwhile. A file that cannot be locked is used all the
    /// same.
    init?(sharing path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        _ = flock(descriptor, LOCK_SH | LOCK_NB)
    }

    /// Nobody else may use it meanwhile.
    ///
    /// - Throws: ``InUse`` while somebody does.
    init?(alone path: String) throws(InUse) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // The object is whole by now: `deinit` closes the file, also of one that nobody gets.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw InUse(path: path) }
    }

    deinit { close(descriptor) }

    /// A running gate uses the file.
    struct InUse: Error {
        let path: String
    }
}

import Foundation

/// A system lock that marks a file as in use while this object and its process live. A crash leaves no lock behind.
/// Source: flock(2).
final class UseLock: Sendable {
    private let descriptor: Int32

    /// Takes a shared lock, which excludes exclusive ones. A file that cannot be locked is used anyway.
    init?(sharing path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        _ = flock(descriptor, LOCK_SH | LOCK_NB)
    }

    /// Takes an exclusive lock.
    ///
    /// - Throws: ``InUse`` if the file is locked.
    init?(alone path: String) throws(InUse) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // The object is initialized here, so `deinit` closes the file even if this throws.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw InUse(path: path) }
    }

    deinit { close(descriptor) }

    /// A running gate uses the file.
    struct InUse: Error {
        let path: String
    }
}

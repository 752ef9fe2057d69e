import Foundation

/// Whoever has it ships a spool: several gates of one machine may record into the same one. The lock is on a file of its
/// own, FILE.ship, because closing a database beside SQLite ends SQLite's locks (sqlite.org/howtocorrupt.html section
/// 2.2). It ends with its process, so that a crash leaves none behind. Source: flock(2).
public final class SpoolLock: Sendable {
    /// What is behind the spool's path.
    public static let ending = ".ship"

    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Returns: nil while another process, or another part of this one, has it.
    /// - Throws: ``StoreError/cannotOpen(path:cause:)`` where there can be no such file.
    public init?(of spool: String) throws(StoreError) {
        descriptor = open(spool + Self.ending, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .cannotOpen(path: spool + Self.ending, cause: String(cString: strerror(errno)))
        }
        // The object is whole by now: `deinit` closes the file, also of one that nobody gets.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit { close(descriptor) }
}

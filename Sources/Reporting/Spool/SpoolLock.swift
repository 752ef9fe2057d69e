import Foundation

/// The right to ship a spool, into which several gates of one machine may record. The lock is on its own file,
/// FILE.ship, because closing a database outside SQLite releases SQLite's locks (sqlite.org/howtocorrupt.html section
/// 2.2). It ends with its process, so a crash leaves no lock. Source: flock(2).
public final class SpoolLock: Sendable {
    /// The suffix after the spool's path.
    public static let ending = ".ship"

    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Returns: nil if another process, or another part of this one, has it.
    /// - Throws: ``StoreError/cannotOpen(path:cause:)`` if the file cannot be created.
    public init?(of spool: String) throws(StoreError) {
        descriptor = open(spool + Self.ending, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .cannotOpen(path: spool + Self.ending, cause: String(cString: strerror(errno)))
        }
        // All properties are set here, so `deinit` closes the file even if this returns nil.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit { close(descriptor) }
}

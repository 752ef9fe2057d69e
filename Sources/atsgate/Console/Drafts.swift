import Foundation
import NetLoop
import Synchronization

/// Files and folders that an interrupted command must delete, such as an incomplete report or a temporary copy.
enum Drafts {
    private static let paths = Mutex<Set<String>>([])

    /// The only watcher of the process, from the first draft on. The exit code is the one that shells use for a signal:
    /// 130 for an interrupt.
    private static let watcher = SignalWatcher([SIGINT, SIGTERM, SIGHUP]) { number in
        for path in paths.withLock({ $0 }) { remove(path) }
        _exit(128 + number)
    }

    /// From now on the process ends immediately when it is interrupted. SQLite rolls back uncommitted changes when the
    /// store is opened again (sqlite.org/atomiccommit.html).
    static func watch() { _ = watcher }

    /// From now on an interrupt deletes `path`.
    static func begin(_ path: String) {
        watch()
        paths.withLock { _ = $0.insert(path) }
    }

    /// Keeps `path` from now on: it is complete, or already deleted.
    static func end(_ path: String) {
        paths.withLock { _ = $0.remove(path) }
    }

    /// Writes a file next to its final name, and renames it when it is complete.
    ///
    /// - Parameter body: creates the file at the given path, which does not exist.
    /// - Throws: errors of `body`, and ``Output/Failure``; the draft is deleted.
    static func replacing<Answer>(_ path: String, _ body: (_ draft: String) throws -> Answer) throws -> Answer {
        let draft = "\(path).\(getpid()).part"
        begin(draft)
        // A leftover of an earlier process with the same id.
        remove(draft)
        defer {
            remove(draft)
            end(draft)
        }
        let answer = try body(draft)
        guard rename(draft, path) == 0 else { throw Output.Failure(errno: errno) }
        return answer
    }

    /// Also removes the files that SQLite keeps next to a database.
    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
        try? FileManager.default.removeItem(atPath: path)
    }
}

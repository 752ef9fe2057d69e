import Foundation
import NetLoop
import Synchronization

/// Files and folders that must not be left behind by a command that is interrupted: half a report, a copy in passing.
enum Drafts {
    private static let paths = Mutex<Set<String>>([])

    /// One for the process, from the first draft on: it ends as a shell tells a signal, 130 for an interrupt.
    private static let watcher = SignalWatcher([SIGINT, SIGTERM, SIGHUP]) { number in
        for path in paths.withLock({ $0 }) { remove(path) }
        _exit(128 + number)
    }

    /// From now on the process ends at once when it is interrupted. What SQLite has not committed is undone by whoever
    /// opens the store next (sqlite.org/atomiccommit.html).
    static func watch() { _ = watcher }

    /// From now on `path` goes where the process is interrupted.
    static func begin(_ path: String) {
        watch()
        paths.withLock { _ = $0.insert(path) }
    }

    /// It is whole, or gone.
    static func end(_ path: String) {
        paths.withLock { _ = $0.remove(path) }
    }

    /// Writes a file beside its final name, and gives it that name once it is whole.
    ///
    /// - Parameter body: makes the file at the path that it is handed; what is there is its own.
    /// - Throws: what `body` throws, and ``Output/Failure``; nothing is left of the draft then.
    static func replacing<Answer>(_ path: String, _ body: (_ draft: String) throws -> Answer) throws -> Answer {
        let draft = "\(path).\(getpid()).part"
        begin(draft)
        // Of an earlier process of this number.
        remove(draft)
        defer {
            remove(draft)
            end(draft)
        }
        let answer = try body(draft)
        guard rename(draft, path) == 0 else { throw Output.Failure(errno: errno) }
        return answer
    }

    /// SQLite keeps files of its own beside a database.
    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
        try? FileManager.default.removeItem(atPath: path)
    }
}

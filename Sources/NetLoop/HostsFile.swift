import CPoll
import Dispatch
import Synchronization

/// The names in a hosts file: hosts(5). Only tests if a name is present; the system resolves it.
public final class HostsFile: Sendable {
    private struct State {
        var names: Set<String> = ["localhost"]
        /// Inode, size and time of the file that was read.
        var stamp: [Int64]?
        /// The time of the next check, in nanoseconds.
        var due = Int64.min
    }

    private let path: String
    private let state = Mutex(State())

    public init(path: String = "/etc/hosts") {
        self.path = path
        refresh()
    }

    /// True if the file has the name. Never blocks on the file: a change is seen a moment later.
    func contains(_ host: String, at now: Int64, refreshOn queue: DispatchQueue) -> Bool {
        let (isHere, isDue) = state.withLock { state in
            let isDue = state.due <= now
            if isDue { state.due = now + Self.interval }
            return (state.names.contains(host), isDue)
        }
        if isDue { queue.async { self.refresh() } }
        return isHere
    }

    private func refresh() {
        let stamp = Self.stamp(of: path)
        guard state.withLock({ $0.stamp != stamp }) else { return }
        let names = Self.names(in: readFile(path, upTo: Self.maxBytes))
        state.withLock { state in
            state.names = names
            state.stamp = stamp
        }
    }

    /// Parses lines of an address and its names, in any case. A number sign starts a comment.
    static func names(in text: [UInt8]) -> Set<String> {
        var names: Set<String> = ["localhost"]
        for line in text.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 32 || $0 == 9 }
            for word in words.dropFirst() { names.insert(String(decoding: word, as: UTF8.self).lowercased()) }
        }
        return names
    }

    private static func stamp(of path: String) -> [Int64] {
        var found = cpoll_stamp()
        guard cpoll_stamp_of(path, &found) == 0 else { return [] }
        return [Int64(bitPattern: found.inode), Int64(bitPattern: found.size), found.seconds, found.nanoseconds]
    }

    /// The time between two checks of the file, in nanoseconds.
    private static let interval: Int64 = 1_000_000_000
    /// Ad-blocking lists have some megabytes.
    private static let maxBytes = 16_777_216
}

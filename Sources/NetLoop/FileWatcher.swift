import CPoll
import Dispatch
import Synchronization

/// Reports files that changed since they were read, by comparing stamps periodically.
///
/// Polling also detects files replaced by renaming, changed symbolic links and changes on network disks. A file that
/// disappears is not a change; it is reported when it is back and different. A change is reported once the file looked
/// the same twice, so that a file is seldom read half written.
public final class FileWatcher: Sendable {
    private struct Observation {
        let path: String
        var reported: FileStamp.Mark?
        var last: FileStamp.Mark?
        /// The content of the file, as long as its mark might not show a change.
        var content: [UInt8]?

        /// True if the file differs from the one that was read. If the mark alone cannot show it, the content is
        /// compared once, as soon as later changes would change the mark.
        mutating func differs(_ now: FileStamp.Observation) -> Bool {
            guard now.mark == reported else {
                content = nil
                return true
            }
            guard let before = content, !now.isYoung else { return false }
            content = nil
            return FileStamp.content(of: path) != before
        }
    }

    private let looks: Mutex<[Observation]>
    private let source: ReadinessSource

    /// Starts watching.
    ///
    /// - Parameters:
    ///   - stamps: taken before the files were read; changes since then are reported.
    ///   - interval: the time between two checks.
    ///   - changed: called with the changed paths, on the watcher's own queue.
    public init(
        _ stamps: [FileStamp], every interval: Duration = .milliseconds(250),
        changed: @escaping @Sendable (_ paths: [String]) -> Void
    ) {
        looks = Mutex(stamps.map(Self.look))
        source = ReadinessSource(timerOn: DispatchQueue(label: "atsgate.files"))
        let pause = DispatchTimeInterval.nanoseconds(Int(max(interval, .milliseconds(1)).clampedNanoseconds))
        source.schedule(at: .now() + pause, repeating: pause, leeway: .milliseconds(50))
        source.start { [weak self] in
            guard let news = self?.look(), !news.isEmpty else { return }
            changed(news)
        }
    }

    deinit { stop() }

    public func stop() {
        source.end()
    }

    /// Replaces the watched files.
    ///
    /// - Parameter stamps: taken before the files were read again.
    public func watch(_ stamps: [FileStamp]) {
        looks.withLock { $0 = stamps.map(Self.look) }
    }

    private static func look(_ stamp: FileStamp) -> Observation {
        Observation(path: stamp.path, reported: stamp.known, last: stamp.known, content: stamp.content)
    }

    private func look() -> [String] {
        looks.withLock { looks in
            var news: [String] = []
            for index in looks.indices {
                let now = FileStamp.Observation(at: looks[index].path)
                let isSettled = now.mark == looks[index].last
                looks[index].last = now.mark
                guard isSettled, now.mark != nil, looks[index].differs(now) else { continue }
                looks[index].reported = now.mark
                news.append(looks[index].path)
            }
            return news
        }
    }
}

/// The state of a file just before it is read.
public struct FileStamp: Sendable, Hashable {
    public let path: String
    /// nil if there was no file, or if it changed so recently that neither this nor ``content`` would show a further
    /// change.
    let known: Mark?
    /// The content of a file that changed so recently that ``known`` alone might not show a further change.
    let content: [UInt8]?

    /// The attributes that change when a file is written or replaced. For a symbolic link, those of its target.
    struct Mark: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64
        let size: UInt64
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// The current state of a file; `mark` is nil if it does not exist.
    struct Observation {
        var mark: Mark?
        /// True if a further change may leave the same mark.
        var isYoung = false
        /// True for a regular file (reading a pipe would block) that is small enough to compare its content.
        var isReadable = false

        init(at path: String) {
            var found = cpoll_stamp()
            guard cpoll_stamp_of(path, &found) == 0 else { return }
            mark = Mark(
                device: found.device, inode: found.inode, size: found.size, seconds: found.seconds,
                nanoseconds: found.nanoseconds)
            isYoung = found.is_young != 0
            isReadable = found.is_regular != 0 && found.size <= FileStamp.longestContentBytes
        }
    }

    /// Take the stamp before reading the file: later changes then result in a different stamp.
    public init(_ path: String) {
        self.path = path
        let look = Observation(at: path)
        content = look.isYoung && look.isReadable ? Self.content(of: path) : nil
        known = look.isYoung && content == nil ? nil : look.mark
    }

    static func content(of path: String) -> [UInt8] {
        readFile(path, upTo: Int(longestContentBytes))
    }

    /// Dictionaries have some kilobytes, lists of roots some hundred.
    private static let longestContentBytes: UInt64 = 1 << 20
}

/// Returns the first bytes of a file, in pieces of 64 KiB; empty if it cannot be read.
func readFile(_ path: String, upTo limitBytes: Int) -> [UInt8] {
    let descriptor = cpoll_open_file(path)
    guard descriptor >= 0 else { return [] }
    defer { closeDescriptor(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < limitBytes {
        let count = cpoll_read_pipe(descriptor, &piece, piece.count)
        guard count > 0 else { break }
        bytes += piece.prefix(count)
    }
    return bytes
}

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

import CPoll
import Dispatch
import Synchronization

/// Tells when the content of some files may have changed, by looking at their stamps.
///
/// Looking instead of listening sees a file replaced by renaming, a changed symbolic link and a network disk alike. A
/// file that disappears is not a change; it is reported when it is back and different. A change is reported once the
/// file has looked the same twice, so that a file is seldom read half written.
public final class FileWatcher: Sendable {
    private struct Look {
        var reported: Stamp?
        var last: Stamp?
    }

    private let paths: [String]
    private let looks: Mutex<[Look]>
    private let source: ReadinessSource

    /// Begins to watch; what the files are now counts as known.
    ///
    /// - Parameters:
    ///   - interval: between two looks.
    ///   - changed: runs on a queue of its own with those of `paths` that changed.
    public init(
        _ paths: [String], every interval: Duration = .milliseconds(250),
        changed: @escaping @Sendable (_ paths: [String]) -> Void
    ) {
        self.paths = paths
        looks = Mutex(
            paths.map { path in
                let stamp = Stamp(path)
                return Look(reported: stamp, last: stamp)
            })
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

    private func look() -> [String] {
        let stamps = paths.map { Stamp($0) }
        return looks.withLock { looks in
            var news: [String] = []
            for (index, stamp) in stamps.enumerated() {
                let isSettled = stamp == looks[index].last
                looks[index].last = stamp
                guard isSettled, let stamp, stamp != looks[index].reported else { continue }
                looks[index].reported = stamp
                news.append(paths[index])
            }
            return news
        }
    }
}

/// What changes when a file is written or replaced.
private struct Stamp: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: UInt64
    let seconds: Int64
    let nanoseconds: Int64

    init?(_ path: String) {
        var found = cpoll_stamp()
        guard cpoll_stamp_of(path, &found) == 0 else { return nil }
        device = found.device
        inode = found.inode
        size = found.size
        seconds = found.seconds
        nanoseconds = found.nanoseconds
    }
}

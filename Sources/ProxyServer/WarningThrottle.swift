import Synchronization

/// Keeps one trouble from filling the log: it is worth a line at first, and then once in a while.
final class WarningThrottle: Sendable {
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// Takes note that it is to be said.
    ///
    /// - Returns: whether it is time to say it, or to say it again.
    func mayWarn() -> Bool {
        last.withLock { last in
            let now = ContinuousClock.now
            if let last, now - last < Self.silence { return false }
            last = now
            return true
        }
    }

    private static let silence = Duration.seconds(5)
}

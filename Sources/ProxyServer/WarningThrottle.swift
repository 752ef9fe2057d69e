import Synchronization

/// Limits a repeated warning, so that it does not fill the log: the first one is logged, then one at an interval.
final class WarningThrottle: Sendable {
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// Notes a warning.
    ///
    /// - Returns: true if it should be logged now.
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

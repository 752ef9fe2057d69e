import Dispatch
import Synchronization

/// Does something at once, and again and again, on a queue of its own.
final class Watchdog: Sendable {
    private let period: DispatchTimeInterval
    private let work: @Sendable () -> Void
    private let queue = DispatchQueue(label: "atsgate.watchdog")
    private let isOver = Atomic(false)

    /// - Parameter work: may block; where it takes longer than a period, the next one begins when it ends.
    init(every period: Duration, _ work: @escaping @Sendable () -> Void) {
        self.period = .milliseconds(max(Int(period / .milliseconds(1)), 1))
        self.work = work
        queue.async { [weak self] in self?.beat() }
    }

    /// Nothing is done any more but what has begun.
    func stop() { isOver.store(true, ordering: .relaxed) }

    private func beat() {
        guard !isOver.load(ordering: .relaxed) else { return }
        let next = DispatchTime.now() + period
        work()
        queue.asyncAfter(deadline: next) { [weak self] in self?.beat() }
    }
}

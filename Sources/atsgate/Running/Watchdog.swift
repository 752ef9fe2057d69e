import Dispatch
import Synchronization

/// Calls a function immediately and then periodically, on its own queue.
final class Watchdog: Sendable {
    private let period: DispatchTimeInterval
    private let work: @Sendable () -> Void
    private let queue = DispatchQueue(label: "atsgate.watchdog")
    private let isOver = Atomic(false)

    /// - Parameter work: may block; if it takes longer than a period, the next call follows directly.
    init(every period: Duration, _ work: @escaping @Sendable () -> Void) {
        self.period = .milliseconds(max(Int(period / .milliseconds(1)), 1))
        self.work = work
        queue.async { [weak self] in self?.beat() }
    }

    /// Ends the calls; one that has started is finished.
    func stop() { isOver.store(true, ordering: .relaxed) }

    private func beat() {
        guard !isOver.load(ordering: .relaxed) else { return }
        let next = DispatchTime.now() + period
        work()
        queue.asyncAfter(deadline: next) { [weak self] in self?.beat() }
    }
}

import Synchronization

/// A time by which something must have happened, put off or brought forward each time something does.
final class MovingDeadline: Sendable {
    private let state: Mutex<State>

    private struct State {
        var instant: ContinuousClock.Instant
        /// Of all spans so far: how long a deadline that was brought forward may go unnoticed.
        var shortest: Duration
    }

    init(_ span: Duration) {
        state = Mutex(State(instant: .now + span, shortest: span))
    }

    func move(to span: Duration) {
        state.withLock { $0 = State(instant: .now + span, shortest: min($0.shortest, span)) }
    }

    /// Returns when the deadline passes, or the task is cancelled.
    func pass() async {
        while true {
            let state = state.withLock { $0 }
            let now = ContinuousClock.now
            guard state.instant > now else { return }
            let next = min(state.instant, now + state.shortest)
            // Time alone is waited for; whoever has no more use for it cancels the task.
            guard (try? await Task.sleep(until: next, clock: .continuous)) != nil else { return }
        }
    }
}

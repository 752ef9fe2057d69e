import Dispatch
import Synchronization

/// Runs slow work off the event loop. A few items run at a time, in order, so that one slow answer does not delay the
/// next.
final class AnswerQueue: Sendable {
    private let limit: Int
    private let queue = DispatchQueue(label: "atsgate.page", qos: .utility, attributes: .concurrent)
    private let state = Mutex(State())

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var running = 0
    }

    /// - Parameter limit: the number of items that run at the same time.
    init(limit: Int) {
        self.limit = limit
    }

    /// Runs `work` where it may block.
    func run(_ work: @escaping @Sendable () -> Void) {
        let hasRoom = state.withLock { state in
            state.waiting.append(work)
            guard state.running < limit else { return false }
            state.running += 1
            return true
        }
        if hasRoom { queue.async { self.runWaiting() } }
    }

    private func runWaiting() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
    }
}

import Dispatch
import Synchronization

/// The end of a gate, for the command that waits for it, and for signals that arrive later.
final class GateEnd: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let over = Atomic(false)

    /// The gate has ended.
    func signal() { ended.signal() }

    /// Blocks until the gate has ended.
    func wait() {
        ended.wait()
        over.store(true, ordering: .relaxed)
    }

    /// True while the command finishes after the gate: no gate is left that a signal could end.
    var isOver: Bool { over.load(ordering: .relaxed) }
}

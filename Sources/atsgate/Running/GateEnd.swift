import Dispatch
import Synchronization

/// The end of a gate, for the command that waits for it and for signals that come behind it.
final class GateEnd: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let over = Atomic(false)

    /// The gate has ended.
    func signal() { ended.signal() }

    /// Blocks until it has.
    func wait() {
        ended.wait()
        over.store(true, ordering: .relaxed)
    }

    /// The command goes on behind it: there is no gate that a signal could end.
    var isOver: Bool { over.load(ordering: .relaxed) }
}

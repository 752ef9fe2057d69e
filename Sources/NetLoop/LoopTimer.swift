/// One deadline of a connection, for example. Cheap to have by the thousand and to arm again and again.
///
/// Fires at most once per arming, up to 20 ms late. Arming it again later only moves a number; arming it earlier moves
/// it in the loop's heap. Dropping the timer cancels it. It belongs to the loop it was first armed on.
public final class LoopTimer {
    private let node = TimerNode()

    /// - Parameter fire: runs on the loop. It may capture an `isolated EventLoop` parameter of where it is written.
    public init(_ fire: @escaping () -> Void) {
        node.fire = fire
    }

    deinit {
        node.fire = nil
        node.heap?.remove(node)
    }

    /// Fires once after `delay`, in place of whatever it was armed for before.
    public func arm(after delay: Duration, on loop: isolated EventLoop) {
        precondition(node.heap == nil || node.heap === loop.timers, "a timer stays on its loop")
        let (due, overflow) = loop.now.addingReportingOverflow(delay.clampedNanoseconds)
        node.due = overflow ? TimerNode.idle : due
        loop.plan(node)
    }

    public func cancel() {
        node.due = TimerNode.idle
    }

    public var isArmed: Bool { node.due != TimerNode.idle }
}

extension Duration {
    /// Whole nanoseconds; negative durations are 0, those beyond 292 years as long as can be.
    package var clampedNanoseconds: Int64 {
        // One division of 128 bits; `components` takes several, and multiplies again.
        Int64(clamping: max(0, attoseconds) / 1_000_000_000)
    }
}

/// A timer, for example for one deadline of a connection. Cheap to create by the thousand and to rearm often.
///
/// Fires at most once per arming, up to 20 ms late. Rearming for a later time only changes a number; for an earlier
/// time it moves the timer in the loop's heap. Releasing the timer cancels it. It belongs to the loop it was first
/// armed on.
public final class LoopTimer {
    private let node = TimerNode()

    /// - Parameter fire: runs on the loop. It may capture an `isolated EventLoop` parameter of the surrounding
    ///   function.
    public init(_ fire: @escaping () -> Void) {
        node.fire = fire
    }

    deinit {
        node.fire = nil
        node.heap?.remove(node)
    }

    /// Fires once after `delay`. Replaces an earlier deadline.
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
    /// Whole nanoseconds, limited to between 0 and 292 years.
    package var clampedNanoseconds: Int64 {
        // One 128-bit division; `components` needs several, and multiplies again.
        Int64(clamping: max(0, attoseconds) / 1_000_000_000)
    }
}

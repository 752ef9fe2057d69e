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

/// A timer in its loop's heap.
///
/// `key` is the time at which the heap checks the node, `due` the time to fire. A later `due` does not change the heap.
final class TimerNode {
    /// Nanoseconds of the monotonic clock; ``idle`` when not armed.
    var due = TimerNode.idle
    fileprivate(set) var key: Int64 = 0
    fileprivate var position = -1
    fileprivate(set) var heap: TimerHeap?
    var fire: (() -> Void)?

    var isQueued: Bool { position >= 0 }

    static let idle = Int64.max
}

/// A binary heap of timers, ordered by the time of their next check. Pure: it reads no clock.
final class TimerHeap {
    // Unchecked: the functions only compare numbers and move nodes, which calls no other code. A timer that is due is
    // removed before it fires.
    @exclusivity(unchecked) private var nodes: [TimerNode] = []

    /// The time of the next check.
    var nextLook: Int64? { nodes.first?.key }

    func insert(_ node: TimerNode) {
        precondition(!node.isQueued)
        node.heap = self
        node.key = node.due
        node.position = nodes.count
        nodes.append(node)
        rise(node.position)
    }

    /// Moves `node` forward to its `due` time, which is earlier than its key.
    func hasten(_ node: TimerNode) {
        node.key = node.due
        rise(node.position)
    }

    func remove(_ node: TimerNode) {
        let hole = node.position
        guard hole >= 0 else { return }
        node.position = -1
        node.heap = nil
        let last = nodes.removeLast()
        guard last !== node else { return }
        place(last, at: hole)
        rise(hole)
        sink(last.position)
    }

    func removeAll() {
        for node in nodes {
            node.position = -1
            node.heap = nil
            node.due = TimerNode.idle
        }
        nodes = []
    }

    /// Removes and returns the next timer due at `now`. Moves nodes with a later `due` to their new position.
    func popDue(at now: Int64) -> TimerNode? {
        while let first = nodes.first, first.key <= now {
            if first.due == TimerNode.idle {
                remove(first)
            } else if first.due > first.key {
                first.key = first.due
                sink(0)
            } else {
                remove(first)
                return first
            }
        }
        return nil
    }

    /// Removes cancelled timers and moves postponed ones, up to `time`, while they are at the top of the heap.
    func settle(before time: Int64) {
        while let first = nodes.first, first.key < time, first.due > first.key {
            if first.due == TimerNode.idle {
                remove(first)
            } else {
                first.key = first.due
                sink(0)
            }
        }
    }

    private func place(_ node: TimerNode, at position: Int) {
        nodes[position] = node
        node.position = position
    }

    private func rise(_ start: Int) {
        var position = start
        let node = nodes[position]
        while position > 0 {
            let parent = (position - 1) / 2
            guard nodes[parent].key > node.key else { break }
            place(nodes[parent], at: position)
            position = parent
        }
        place(node, at: position)
    }

    private func sink(_ start: Int) {
        var position = start
        let node = nodes[position]
        while true {
            var child = 2 * position + 1
            guard child < nodes.count else { break }
            if child + 1 < nodes.count, nodes[child + 1].key < nodes[child].key { child += 1 }
            guard nodes[child].key < node.key else { break }
            place(nodes[child], at: position)
            position = child
        }
        place(node, at: position)
    }
}

/// A timer's place in its loop's heap.
///
/// `key` is when the heap will look at it, `due` when it shall fire. Moving `due` later leaves the heap alone.
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

/// A binary heap of timers by the time at which they need a look. Pure: it knows no clock.
final class TimerHeap {
    // Unchecked: numbers are compared and places changed, which calls nothing; a timer that is due is taken out, and
    // fires once the heap is left alone.
    @exclusivity(unchecked) private var nodes: [TimerNode] = []

    /// When the heap wants to be looked at next.
    var nextLook: Int64? { nodes.first?.key }

    func insert(_ node: TimerNode) {
        precondition(!node.isQueued)
        node.heap = self
        node.key = node.due
        node.position = nodes.count
        nodes.append(node)
        rise(node.position)
    }

    /// Looks at `node` at its `due` time, which is earlier than planned.
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

    /// Takes out the next timer due at `now`; puts those that were moved later back in their new place.
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

    /// Puts timers at the top of the heap that were cancelled or moved later where they belong, as far as `time`.
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

/// The line of idle clients: between two loads, or in the middle of a head. The client that has been idle longest is
/// first.
///
/// Belongs to one loop. Entering, leaving and finding the first take constant time.
final class WaitingLine<Member: AnyObject> {
    /// A member's node, in the line or not. Kept by the member, without keeping it alive.
    final class Slot {
        // Unchecked: only whole reads and writes, and only by the line.
        /// The member, which leaves the line before it is released.
        @exclusivity(unchecked) fileprivate unowned var member: Member?
        @exclusivity(unchecked) fileprivate var next: Slot?
        @exclusivity(unchecked) fileprivate unowned var previous: Slot?
        @exclusivity(unchecked) fileprivate(set) var isTaken = false
    }

    // Unchecked, as in the nodes: only whole reads and writes.
    @exclusivity(unchecked) private var head: Slot?
    @exclusivity(unchecked) private var tail: Slot?

    /// The member that has been idle longest.
    var first: Member? { head?.member }

    /// Adds a member to the end of the line, unless it is in the line already.
    func enter(_ member: Member, at place: Slot) {
        guard !place.isTaken else { return }
        place.member = member
        place.isTaken = true
        place.previous = tail
        if let tail { tail.next = place } else { head = place }
        tail = place
    }

    func leave(_ place: Slot) {
        guard place.isTaken else { return }
        place.isTaken = false
        let (previous, next) = (place.previous, place.next)
        if let previous { previous.next = next } else { head = next }
        if let next { next.previous = previous } else { tail = previous }
        place.next = nil
        place.previous = nil
        place.member = nil
    }

    /// Releases the nodes one by one: releasing the head would release all of them recursively.
    deinit {
        while let place = head {
            head = place.next
            place.next = nil
        }
    }
}

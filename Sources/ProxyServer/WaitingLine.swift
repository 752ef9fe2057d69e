/// Clients that only wait: between two loads, or in the middle of a head. Who has waited longest is first.
///
/// Belongs to one loop. Entering, leaving and finding the first take the same time however long the line is.
final class WaitingLine<Member: AnyObject> {
    /// A member's place, in the line or not. Kept by the member, which it does not keep alive.
    final class Place {
        // Unchecked: each is loaded, or stored, as a whole; the line alone does so.
        /// Leaves before it goes.
        @exclusivity(unchecked) fileprivate unowned var member: Member?
        @exclusivity(unchecked) fileprivate var next: Place?
        @exclusivity(unchecked) fileprivate unowned var previous: Place?
        @exclusivity(unchecked) fileprivate(set) var isTaken = false
    }

    // Unchecked, as the places: loaded, or stored, as a whole.
    @exclusivity(unchecked) private var head: Place?
    @exclusivity(unchecked) private var tail: Place?

    /// Who has waited longest.
    var first: Member? { head?.member }

    /// Goes to the end of the line; whoever is in it already stays where they are.
    func enter(_ member: Member, at place: Place) {
        guard !place.isTaken else { return }
        place.member = member
        place.isTaken = true
        place.previous = tail
        if let tail { tail.next = place } else { head = place }
        tail = place
    }

    func leave(_ place: Place) {
        guard place.isTaken else { return }
        place.isTaken = false
        let (previous, next) = (place.previous, place.next)
        if let previous { previous.next = next } else { head = next }
        if let next { next.previous = previous } else { tail = previous }
        place.next = nil
        place.previous = nil
        place.member = nil
    }

    /// A chain is let go link by link: letting its head go would let every place go inside the one before.
    deinit {
        while let place = head {
            head = place.next
            place.next = nil
        }
    }
}

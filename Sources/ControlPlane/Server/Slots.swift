import Synchronization

/// A counting limit: each user takes a slot, which is returned when its last reference goes away.
final class Slots: Sendable {
    private let count = Mutex(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// One taken slot.
    final class Slot: Sendable {
        private let slots: Slots

        fileprivate init(_ slots: Slots) {
            self.slots = slots
        }

        deinit { slots.count.withLock { $0 -= 1 } }
    }

    /// Returns nil if all slots are taken.
    func take() -> Slot? {
        let isFree = count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        return isFree ? Slot(self) : nil
    }

    var taken: Int { count.withLock { $0 } }
}

import Synchronization

/// Counts what there may be so many of at a time: each takes a slot and gives it back when nobody holds it any more.
final class Slots: Sendable {
    private let count = Mutex(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// One holder's.
    final class Slot: Sendable {
        private let slots: Slots

        fileprivate init(_ slots: Slots) {
            self.slots = slots
        }

        deinit { slots.count.withLock { $0 -= 1 } }
    }

    /// nil when all are taken.
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

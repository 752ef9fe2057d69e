import Synchronization

/// Counts what there may be so many of at a time: each takes a seat and gives it back when nobody holds it any more.
final class Seats: Sendable {
    private let count = Mutex(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// One holder's.
    final class Seat: Sendable {
        private let seats: Seats

        fileprivate init(_ seats: Seats) {
            self.seats = seats
        }

        deinit { seats.count.withLock { $0 -= 1 } }
    }

    /// nil when all are taken.
    func take() -> Seat? {
        let isFree = count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        return isFree ? Seat(self) : nil
    }

    var taken: Int { count.withLock { $0 } }
}

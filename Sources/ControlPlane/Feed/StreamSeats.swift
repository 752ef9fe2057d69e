import Synchronization

/// Counts streams of events: each takes a seat and gives it back when nobody holds it any more.
final class StreamSeats: Sendable {
    private let taken = Mutex(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// One stream's.
    final class Seat: Sendable {
        private let seats: StreamSeats

        fileprivate init(_ seats: StreamSeats) {
            self.seats = seats
        }

        deinit { seats.taken.withLock { $0 -= 1 } }
    }

    /// nil when all are taken.
    func take() -> Seat? {
        let isFree = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        return isFree ? Seat(self) : nil
    }
}

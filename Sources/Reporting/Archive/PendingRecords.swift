import Records

/// What was filed and not yet passed on to every sink.
struct PendingRecords {
    private let capacity: Int
    private let capacityBytes: Int
    private var waiting: [LoadRecord] = []
    /// Taken from `waiting`, not yet through every sink.
    private var inHand = 0
    /// Of `waiting` and of what is in hand.
    private var waitingBytes = 0
    private var inHandBytes = 0
    private var roomy: [@Sendable () -> Void] = []
    private var wakeUp = WakeUp.none
    private(set) var isFull = false
    private(set) var isClosed = false
    private(set) var late = 0
    private var sinks: SinkFigures

    /// Which visit of the archive's thread is on its way.
    enum WakeUp: Comparable {
        case none, soon, now
    }

    /// Whether whoever took records should go on taking: nobody else is on the way for what waits.
    ///
    /// - Parameter isUrgent: nobody is waited for.
    func hasMore(isUrgent: Bool) -> Bool { !waiting.isEmpty && (isUrgent || wakeUp == .none) }

    /// - Parameter sinks: how they are before the first record.
    init(capacity: Int, capacityBytes: Int, sinks: SinkFigures = SinkFigures()) {
        self.sinks = sinks
        self.capacity = max(capacity, 1)
        self.capacityBytes = max(capacityBytes, 1)
    }

    /// Takes `batch` in.
    ///
    /// - Returns: the visit to order; `none` when one is on its way.
    mutating func file(_ batch: [LoadRecord]) -> WakeUp {
        guard !isClosed else {
            late += batch.count
            return .none
        }
        // Looked at in place, and taken over whole where that is possible: see ``RecordDispatcher``.
        waitingBytes += batch.bytes
        if waiting.isEmpty { waiting = batch } else { waiting.append(contentsOf: batch) }
        if waiting.count + inHand >= capacity || waitingBytes + inHandBytes >= capacityBytes { isFull = true }
        let wanted: WakeUp = isFull || waiting.count >= min(batchLimit, capacity / 2) ? .now : .soon
        guard wanted > wakeUp else { return .none }
        wakeUp = wanted
        return wanted
    }

    /// Keeps `body` for when there is room again. False when there is room now: the caller runs it.
    mutating func wait(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard isFull else { return false }
        roomy.append(body)
        return true
    }

    /// The next records to pass on, at most some thousands; empty when all were taken.
    mutating func take() -> [LoadRecord] {
        wakeUp = .none
        var taken: [LoadRecord]
        if waiting.count <= batchLimit {
            taken = []
            taken.reserveCapacity(waiting.count)
            swap(&taken, &waiting)
        } else {
            taken = Array(waiting[..<batchLimit])
            waiting.removeFirst(batchLimit)
        }
        inHand = taken.count
        inHandBytes = waiting.isEmpty ? waitingBytes : taken.bytes
        waitingBytes -= inHandBytes
        return taken
    }

    /// The records of the last `take` went through every sink.
    ///
    /// - Parameter figures: how the sinks are now.
    /// - Returns: who waited for room and now has it. There is room at three quarters, so that it does not flicker.
    mutating func passedOn(_ figures: SinkFigures) -> [@Sendable () -> Void] {
        sinks = figures
        inHand = 0
        inHandBytes = 0
        guard isFull, waiting.count <= capacity * 3 / 4, waitingBytes <= capacityBytes / 4 * 3 else { return [] }
        isFull = false
        defer { roomy = [] }
        return roomy
    }

    var figures: ArchiveFigures {
        var figures = ArchiveFigures()
        figures.waitingRows = waiting.count + inHand + sinks.backlogRows
        figures.waitingBytes = waitingBytes + inHandBytes + sinks.backlogBytes
        figures.isFull = isFull
        figures.lost = sinks.lost
        return figures
    }

    mutating func close() {
        isClosed = true
    }
}

/// One transaction of the store: large enough to make its commit cheap, small enough to keep memory flat.
private let batchLimit = 4096

import Dispatch
public import Records
import Synchronization

/// Takes the records of all loops and passes them on to the sinks from its own queue. Nothing is dropped while the
/// sinks work: when the archive is full, the gate takes no new loads until there is room.
public final class Archive: Sendable {
    private let pending: Mutex<PendingRecords>
    private let dispatcher: Mutex<RecordDispatcher>
    private let full = Atomic<Bool>(false)
    private let queue = DispatchQueue(label: "atsgate.archive")
    private let onTrouble: @Sendable (String) -> Void

    /// - Parameters:
    ///   - capacity: records that may wait before ``isFull`` asks the gate to pause. A sink that fails keeps at most
    ///     as many, and never more than 16,384, of its own; what it then misses is counted as lost.
    ///   - capacityBytes: the same, in bytes of what the records hold: some are a hundred times as large as others.
    ///   - names: what of hosts and paths is not to be recorded; nil for none.
    ///   - onTrouble: told what people must know, one sentence each; called on the archive's queue or in `close`, and
    ///     must not call the archive.
    public init(
        sinks: [any RecordSink], capacity: Int = 65536, capacityBytes: Int = 67_108_864,
        redaction: RedactionRules = RedactionRules(), names: NameMask? = nil,
        onTrouble: @escaping @Sendable (String) -> Void
    ) {
        let dispatcher = RecordDispatcher(
            sinks: sinks, backlogLimit: min(capacity, longestBacklog), backlogLimitBytes: capacityBytes,
            redaction: redaction, names: names)
        pending = Mutex(
            PendingRecords(capacity: capacity, capacityBytes: capacityBytes, sinks: dispatcher.figures))
        self.dispatcher = Mutex(dispatcher)
        self.onTrouble = onTrouble
    }

    /// Files `batch`. From any thread; never blocks on a sink; one lock per batch. Accepts even when full, so that
    /// loads in flight can still be recorded.
    public func file(_ batch: [LoadRecord]) {
        guard !batch.isEmpty else { return }
        let wakeUp = pending.withLock { pending in
            defer { full.store(pending.isFull, ordering: .relaxed) }
            return pending.file(batch)
        }
        switch wakeUp {
        case .none: break
        case .soon: queue.asyncAfter(deadline: .now() + gatheringTime) { self.drain(isUrgent: false) }
        case .now: queue.async { self.drain(isUrgent: false) }
        }
    }

    /// True when new loads should wait.
    public var isFull: Bool { full.load(ordering: .relaxed) }

    /// How it fares now. Waits for no sink.
    public var figures: ArchiveFigures { pending.withLock { $0.figures } }

    /// Calls `body` once, as soon as the archive is not full: at once on this thread, or later on the archive's queue.
    public func whenRoomy(_ body: @escaping @Sendable () -> Void) {
        if !pending.withLock({ $0.wait(body) }) { body() }
    }

    /// Passes on all that was filed before the call, with one more try for sinks in trouble. Blocks: not for loops.
    public func flush() {
        drain(isUrgent: true)
    }

    /// Passes on everything, closes the sinks and reports. Blocks: not for loops. What is filed later is only counted.
    public func close() -> ArchiveSummary {
        pending.withLock { $0.close() }
        drain(isUrgent: true)
        let (summary, messages) = dispatcher.withLock { $0.close() }
        messages.forEach(onTrouble)
        var total = summary
        total.late = pending.withLock { $0.late }
        return total
    }

    /// Passes on what waits, batch by batch. The dispatcher's lock keeps batches in order.
    private func drain(isUrgent: Bool) {
        var hasMore = true
        while hasMore {
            let outcome = dispatcher.withLock { dispatcher in
                let batch = pending.withLock { $0.take() }
                let messages = dispatcher.passOn(batch, now: .now, isUrgent: isUrgent)
                let figures = dispatcher.figures
                let (released, hasMore) = pending.withLock { pending in
                    defer { full.store(pending.isFull, ordering: .relaxed) }
                    return (pending.passedOn(figures), pending.hasMore(isUrgent: isUrgent))
                }
                return (messages: messages, released: released, hasMore: hasMore, wait: dispatcher.wait(now: .now))
            }
            outcome.messages.forEach(onTrouble)
            for body in outcome.released { body() }
            hasMore = outcome.hasMore
            if let wait = outcome.wait { comeAgain(after: wait) }
        }
    }

    private func comeAgain(after wait: Duration) {
        let (seconds, attoseconds) = wait.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            self?.retry()
        }
    }

    private func retry() {
        dispatcher.withLock { $0.retryCame() }
        drain(isUrgent: false)
    }
}

/// A commit, and the way through the sinks' threads, cost the same whatever is in it; waiting this long lets one carry
/// hundreds of loads.
private let gatheringTime = DispatchTimeInterval.milliseconds(40)
/// With half a kilobyte each, and a diagnosis of two where a load was refused, some 40 MB.
private let longestBacklog = 16_384

import Dispatch
public import Records
import Synchronization

/// Collects the records of all loops and passes them to the sinks on its own queue. Sinks may be slow without loss: if
/// the archive is full, the gate accepts no new loads until there is room.
public final class Archive: Sendable {
    private let pending: Mutex<PendingRecords>
    private let dispatcher: Mutex<RecordDispatcher>
    private let full = Atomic<Bool>(false)
    private let queue = DispatchQueue(label: "atsgate.archive")
    private let onTrouble: @Sendable (String) -> Void

    /// - Parameters:
    ///   - capacity: records that may wait before ``isFull`` makes the gate pause. A failing sink keeps at most this
    ///     many, and never more than 16,384; later ones are counted as lost.
    ///   - capacityBytes: the same limit in bytes, because some records are a hundred times as large as others.
    ///   - names: masks names in hosts and paths; nil to record them.
    ///   - onTrouble: called with sentences for the user, on the archive's queue or in `close`; must not call the
    ///     archive.
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

    /// Files `batch`. May be called from any thread, takes one lock, and never waits for a sink. Accepts records even
    /// if full, so that loads in flight are recorded.
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

    /// True if new loads should wait.
    public var isFull: Bool { full.load(ordering: .relaxed) }

    /// The archive's current figures. Does not wait for sinks.
    public var figures: ArchiveFigures { pending.withLock { $0.figures } }

    /// Calls `body` once when the archive is not full: immediately on this thread, or later on the archive's queue.
    public func whenRoomy(_ body: @escaping @Sendable () -> Void) {
        if !pending.withLock({ $0.wait(body) }) { body() }
    }

    /// Passes on all records filed before the call, and retries failing sinks once. Blocks, so not for loops.
    public func flush() {
        drain(isUrgent: true)
    }

    /// Passes on all records, closes the sinks and returns a summary. Blocks, so not for loops. Records filed later are
    /// only counted.
    public func close() -> ArchiveSummary {
        pending.withLock { $0.close() }
        drain(isUrgent: true)
        let (summary, messages) = dispatcher.withLock { $0.close() }
        messages.forEach(onTrouble)
        var total = summary
        total.late = pending.withLock { $0.late }
        return total
    }

    /// Passes on waiting records, batch by batch. The dispatcher's lock keeps batches in order.
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

/// A commit and the switch to the archive's thread cost the same for any number of loads. This delay lets one commit
/// contain hundreds.
private let gatheringTime = DispatchTimeInterval.milliseconds(40)
/// About 40 MB: half a kilobyte for each record, plus two for the diagnosis of a blocked load.
private let longestBacklog = 16_384

/// The state of an archive at one moment.
public struct ArchiveFigures: Sendable, Hashable {
    /// Records that some sink has not stored yet, and their approximate size.
    public var waitingRows = 0
    public var waitingBytes = 0
    /// True if new loads wait until there is room.
    public var isFull = false
    /// Records that sinks lost, by kind of sink.
    public var lost: [SinkKind: Int] = [:]

    public init() {}
}

/// The state of all sinks, as the dispatcher last saw it.
struct SinkFigures: Sendable {
    /// The backlog of the sink with the longest one.
    var backlogRows = 0
    var backlogBytes = 0
    var lost: [SinkKind: Int] = [:]
}

/// The records of one run, and what happened to them.
public struct ArchiveSummary: Sendable, Hashable {
    /// The number of records that were filed.
    public var filed = 0
    /// The number of filed loads by verdict; decides the exit code of `run`.
    public var verdicts: [Verdict: Int] = [:]
    /// The recordings they were filed under, in order of first use.
    public private(set) var recordings: [String] = []
    public var sinks: [SinkSummary] = []
    /// Loads that failed because of a fault in the gate itself.
    public var faults = 0
    /// Records that were filed after the archive was closed.
    public var late = 0

    public init() {}

    mutating func note(_ recording: String) {
        if !recordings.contains(recording) { recordings.append(recording) }
    }

    mutating func count(_ verdict: Verdict, times: Int) {
        if times > 0 { verdicts[verdict, default: 0] += times }
    }

    /// False if some sink lacks a record; the command then exits with 74.
    public var isComplete: Bool { late == 0 && sinks.allSatisfy(\.isComplete) }

    /// The first error, recovered or not.
    public var firstError: String? { sinks.lazy.compactMap(\.firstError).first }
}

/// The records of one sink: stored, lost, and the first error.
public struct SinkSummary: Sendable, Hashable {
    public var name: String
    public var stored = 0
    public var lost = 0
    public var firstError: String?
    /// The reason why the sink could not be closed properly; records that it acknowledged may be incomplete.
    public var closeError: String?

    public var isComplete: Bool { lost == 0 && closeError == nil }
}

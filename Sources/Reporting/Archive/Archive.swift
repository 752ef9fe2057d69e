import ATSPolicy
import Dispatch
import Foundation
public import Records
import Synchronization
import Text

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

/// Numbers and redacts records, and passes them to every sink.
struct RecordDispatcher {
    private var queues: [SinkQueue]
    private let redaction: RedactionRules
    /// nil if names are not masked.
    private var mask: RecordMask?
    private var ids = RecordIDMaker(maker: .random(in: .min ... .max))
    private var summary = ArchiveSummary()
    private var isClosed = false
    private var isRetryOrdered = false

    init(
        sinks: [any RecordSink], backlogLimit: Int, backlogLimitBytes: Int, redaction: RedactionRules, names: NameMask?
    ) {
        queues = sinks.map { SinkQueue(sink: $0, backlogLimit: backlogLimit, backlogLimitBytes: backlogLimitBytes) }
        self.redaction = redaction
        mask = names.map { RecordMask($0) }
    }

    /// Passes `batch` to every sink. With an empty batch, only retries sinks with a backlog.
    ///
    /// - Returns: messages for the user.
    mutating func passOn(_ batch: consuming [LoadRecord], now: ContinuousClock.Instant, isUrgent: Bool) -> [String] {
        guard !isClosed else { return [] }
        let faults = finish(&batch)
        return faults + queues.indices.flatMap { queues[$0].take(batch, now: now, isUrgent: isUrgent) }
    }

    /// The state of all sinks together.
    var figures: SinkFigures {
        var figures = SinkFigures()
        for index in queues.indices {
            let waiting = queues[index].waiting
            figures.backlogRows = max(figures.backlogRows, waiting.rows)
            figures.backlogBytes = max(figures.backlogBytes, waiting.bytes)
            figures.lost[queues[index].kind, default: 0] += queues[index].summary.lost
        }
        return figures
    }

    /// The time until the next retry of a failing sink; nil if none is needed, or one is scheduled already.
    mutating func wait(now: ContinuousClock.Instant) -> Duration? {
        let tries = queues.indices.compactMap { queues[$0].nextTry }
        guard !isClosed, !isRetryOrdered, let next = tries.min() else { return nil }
        isRetryOrdered = true
        return max(next - now, .milliseconds(1))
    }

    /// Notes that the scheduled retry has begun.
    mutating func retryCame() {
        isRetryOrdered = false
    }

    /// Closes every sink. Later calls only return the summary again.
    mutating func close() -> (summary: ArchiveSummary, messages: [String]) {
        var messages: [String] = []
        if !isClosed {
            isClosed = true
            messages = queues.indices.flatMap { queues[$0].close() }
            summary.sinks = queues.map(\.summary)
        }
        return (summary, messages)
    }

    /// Completes the records in place, because changing a shared record would copy it.
    ///
    /// - Returns: a sentence for each fault of the gate itself.
    private mutating func finish(_ batch: inout [LoadRecord]) -> [String] {
        guard !batch.isEmpty else { return [] }
        var faults: [String] = []
        let milliseconds = Int64(Date().timeIntervalSince1970 * 1000)
        summary.filed += batch.count
        var run = (verdict: Verdict.allowed, count: 0)
        for index in batch.indices {
            batch[index].id = ids.next(time: milliseconds)
            redaction.apply(to: &batch[index])
            mask?.apply(to: &batch[index])
            if batch[index].verdict != run.verdict {
                summary.count(run.verdict, times: run.count)
                run = (batch[index].verdict, 0)
            }
            run.count += 1
            if summary.recordings.last != batch[index].recording { summary.note(batch[index].recording) }
            if let finding = batch[index].diagnosis?.findings.first, finding.rule.rawValue == gateFault {
                summary.faults += 1
                faults.append("FAULT OF THE GATE: \(finding.observed) (\(batch[index].load.url))".printable)
            }
        }
        summary.count(run.verdict, times: run.count)
        return faults
    }
}

/// The rule for faults of the gate itself.
private let gateFault = "gate.fault"

/// Records that were filed and not yet passed to every sink.
struct PendingRecords {
    private let capacity: Int
    private let capacityBytes: Int
    private var waiting: [LoadRecord] = []
    /// Records taken from `waiting` that are being passed to the sinks.
    private var inHand = 0
    /// The sizes of `waiting` and of the records that were taken.
    private var waitingBytes = 0
    private var inHandBytes = 0
    private var roomy: [@Sendable () -> Void] = []
    private var wakeUp = WakeUp.none
    private(set) var isFull = false
    private(set) var isClosed = false
    private(set) var late = 0
    private var sinks: SinkFigures

    /// When the archive's queue visits next.
    enum WakeUp: Comparable {
        case none, soon, now
    }

    /// True if the caller should take another batch, because no visit is scheduled for it.
    ///
    /// - Parameter isUrgent: take it even if a visit is scheduled.
    func hasMore(isUrgent: Bool) -> Bool { !waiting.isEmpty && (isUrgent || wakeUp == .none) }

    /// - Parameter sinks: their state before the first record.
    init(capacity: Int, capacityBytes: Int, sinks: SinkFigures = SinkFigures()) {
        self.sinks = sinks
        self.capacity = max(capacity, 1)
        self.capacityBytes = max(capacityBytes, 1)
    }

    /// Adds `batch`.
    ///
    /// - Returns: the visit to schedule; `none` if one is scheduled already.
    mutating func file(_ batch: [LoadRecord]) -> WakeUp {
        guard !isClosed else {
            late += batch.count
            return .none
        }
        // Measured in place, and adopted without a copy if possible: see ``RecordDispatcher``.
        waitingBytes += batch.bytes
        if waiting.isEmpty { waiting = batch } else { waiting.append(contentsOf: batch) }
        if waiting.count + inHand >= capacity || waitingBytes + inHandBytes >= capacityBytes { isFull = true }
        let wanted: WakeUp = isFull || waiting.count >= min(batchLimit, capacity / 2) ? .now : .soon
        guard wanted > wakeUp else { return .none }
        wakeUp = wanted
        return wanted
    }

    /// Stores `body` until there is room. Returns false if there is room now; the caller then runs it.
    mutating func wait(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard isFull else { return false }
        roomy.append(body)
        return true
    }

    /// Takes the next records to pass on, at most some thousands; empty if none wait.
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

    /// Notes that the records of the last `take` were passed to every sink.
    ///
    /// - Parameter figures: the state of the sinks now.
    /// - Returns: the closures that waited for room, if there is room again. The limit for that is three quarters, so
    ///   that the state does not flicker.
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

/// Records per transaction of the store: enough to make its commit cheap, few enough to limit memory.
private let batchLimit = 4096

import ATSPolicy
import Foundation
import Records
import Text

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

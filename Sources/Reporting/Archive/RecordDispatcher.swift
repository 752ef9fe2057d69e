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

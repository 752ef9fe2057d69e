import ATSPolicy
import Foundation
import Records
import Text

/// The archive's own work: numbers and redacts records, and hands them to every sink.
struct RecordDispatcher {
    private var queues: [SinkQueue]
    private let redaction: RedactionRules
    /// nil where no name is masked.
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

    /// Passes `batch` to every sink; with an empty batch only sinks with a backlog are tried.
    ///
    /// - Returns: what people should be told.
    mutating func passOn(_ batch: consuming [LoadRecord], now: ContinuousClock.Instant, isUrgent: Bool) -> [String] {
        guard !isClosed else { return [] }
        let faults = finish(&batch)
        return faults + queues.indices.flatMap { queues[$0].take(batch, now: now, isUrgent: isUrgent) }
    }

    /// What of all sinks is worth a number.
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

    /// How long until a sink in trouble should be tried again; nil when none is, or when a retry is ordered already.
    mutating func wait(now: ContinuousClock.Instant) -> Duration? {
        let tries = queues.indices.compactMap { queues[$0].nextTry }
        guard !isClosed, !isRetryOrdered, let next = tries.min() else { return nil }
        isRetryOrdered = true
        return max(next - now, .milliseconds(1))
    }

    /// The ordered retry is here.
    mutating func retryCame() {
        isRetryOrdered = false
    }

    /// Closes every sink once; later calls only repeat the summary.
    mutating func close() -> (summary: ArchiveSummary, messages: [String]) {
        var messages: [String] = []
        if !isClosed {
            isClosed = true
            messages = queues.indices.flatMap { queues[$0].close() }
            summary.sinks = queues.map(\.summary)
        }
        return (summary, messages)
    }

    /// In place: a record that somebody else holds, too, would be copied.
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

/// The rule of what the gate itself broke.
private let gateFault = "gate.fault"

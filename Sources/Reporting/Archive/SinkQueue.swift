public import Records

/// A sink and the records that it still has to store. A failing sink keeps its own backlog, so that the others
/// continue.
struct SinkQueue {
    private let sink: any RecordSink
    private let backlogLimit: Int
    private let backlogLimitBytes: Int
    private var backlog: [LoadRecord] = []
    private var trouble: Trouble?
    private(set) var summary: SinkSummary

    /// A failure that has not ended yet.
    private struct Trouble {
        let since: ContinuousClock.Instant
        var pause: Duration
        var nextTry: ContinuousClock.Instant
        var nextMessage: ContinuousClock.Instant
        let lostBefore: Int
    }

    init(sink: any RecordSink, backlogLimit: Int, backlogLimitBytes: Int) {
        self.sink = sink
        self.backlogLimit = backlogLimit
        self.backlogLimitBytes = backlogLimitBytes
        summary = SinkSummary(name: sink.name)
    }

    var kind: SinkKind { sink.kind }

    /// The number of records in the backlog, and their bytes.
    var waiting: (rows: Int, bytes: Int) { (backlog.count, backlog.isEmpty ? 0 : backlog.bytes) }

    /// The time of the next retry; nil if the backlog is empty.
    var nextTry: ContinuousClock.Instant? { backlog.isEmpty ? nil : trouble?.nextTry }

    /// Records the backlog and then `batch`, unless the sink failed a moment ago and `isUrgent` is false.
    ///
    /// - Returns: messages for the user.
    mutating func take(_ batch: [LoadRecord], now: ContinuousClock.Instant, isUrgent: Bool) -> [String] {
        if backlog.isEmpty {
            backlog = batch
        } else {
            backlog += batch
        }
        if let trouble, now < trouble.nextTry, !isUrgent {
            trimBacklog()
            return complaint(now: now)
        }
        guard !backlog.isEmpty else { return [] }
        do {
            try sink.write(backlog)
            summary.stored += backlog.count
            backlog = []
            return recovery(now: now)
        } catch let partial as PartialWrite {
            let recorded = min(max(partial.recorded, 0), backlog.count)
            summary.stored += recorded
            backlog.removeFirst(recorded)
            return failure(partial.cause, now: now)
        } catch {
            return failure("\(error)", now: now)
        }
    }

    /// Counts the backlog as lost, and closes the sink.
    mutating func close() -> [String] {
        var messages: [String] = []
        if !backlog.isEmpty {
            summary.lost += backlog.count
            backlog = []
        }
        if summary.lost > 0 {
            let error = summary.firstError ?? "unknown error"
            messages.append("\(summary.name): \(summary.lost) loads were NOT recorded: \(error)")
        }
        do {
            try sink.close()
        } catch {
            summary.closeError = "\(error)"
            summary.firstError = summary.firstError ?? "\(error)"
            messages.append("\(summary.name): could not be closed properly: \(error)")
        }
        return messages
    }

    private mutating func failure(_ cause: String, now: ContinuousClock.Instant) -> [String] {
        summary.firstError = summary.firstError ?? cause
        let pause = trouble.map { min($0.pause * 2, longestPause) } ?? shortestPause
        if trouble == nil {
            trouble = Trouble(
                since: now, pause: pause, nextTry: now + pause, nextMessage: now + messageInterval,
                lostBefore: summary.lost)
            trimBacklog()
            return ["\(summary.name): CANNOT RECORD LOADS: \(cause); trying again"]
        }
        trouble?.pause = pause
        trouble?.nextTry = now + pause
        trimBacklog()
        return complaint(now: now)
    }

    private mutating func complaint(now: ContinuousClock.Instant) -> [String] {
        guard let trouble, now >= trouble.nextMessage else { return [] }
        self.trouble?.nextMessage = now + messageInterval
        let seconds = (now - trouble.since).components.seconds
        return [
            "\(summary.name): still cannot record loads after \(seconds) s: \(backlog.count) waiting, "
                + "\(summary.lost) lost: \(summary.firstError ?? "unknown error")"
        ]
    }

    private mutating func recovery(now: ContinuousClock.Instant) -> [String] {
        guard let trouble else { return [] }
        self.trouble = nil
        let seconds = (now - trouble.since).components.seconds
        return [
            "\(summary.name): recording again after \(seconds) s; \(summary.lost - trouble.lostBefore) loads were lost"
        ]
    }

    /// Drops the newest records beyond the limit. The oldest show how the trouble began.
    private mutating func trimBacklog() {
        var room = backlogLimitBytes
        var kept = 0
        for record in backlog.prefix(backlogLimit) {
            room -= record.bytes
            if room < 0 { break }
            kept += 1
        }
        let excess = backlog.count - kept
        guard excess > 0 else { return }
        backlog.removeLast(excess)
        summary.lost += excess
    }
}

private let shortestPause = Duration.milliseconds(100)
private let longestPause = Duration.seconds(5)
private let messageInterval = Duration.seconds(5)

/// A destination for records. The archive calls a sink from one thread at a time.
public protocol RecordSink: Sendable {
    /// The name in messages to people, for example `store`.
    var name: String { get }

    /// The kind of sink, for metrics.
    var kind: SinkKind { get }

    /// Records all of `records`, which have ids and are redacted, or throws. May block.
    ///
    /// - Throws: ``PartialWrite`` if only the first few were recorded, any other error if none was. The archive retries
    ///   with the rest.
    func write(_ records: [LoadRecord]) throws

    /// Called once, after the last `write`.
    func close() throws
}

extension RecordSink {
    public var kind: SinkKind { .inner }
}

/// The kinds of sinks, without file names. Raw values are shown to users.
public enum SinkKind: String, Sendable, CaseIterable {
    case store, json, console
    /// The gate's own use of records, for example for its page.
    case inner
}

/// Part of a batch was recorded before an error.
public struct PartialWrite: Error, Sendable {
    /// The number of records, from the start of the batch, that are stored.
    public let recorded: Int
    public let cause: String

    public init(recorded: Int, cause: String) {
        self.recorded = recorded
        self.cause = cause
    }
}

import ATSPolicy
public import Records
public import Reporting
import Synchronization

/// Counts loads as a sink, on the archive's queue, so that no load waits for it.
public final class LoadMeter: RecordSink {
    public let name = "metrics"
    private let counts = Mutex(LoadCounts())

    public init() {}

    public func write(_ records: [LoadRecord]) { counts.withLock { $0.add(records) } }

    public func close() {}

    var figures: LoadCounts { counts.withLock { $0 } }
}

/// Loads by outcome. Memory is bounded, since verdicts and rules are few.
struct LoadCounts: Sendable {
    /// A verdict and a rule.
    struct Key: Hashable {
        let verdict: Verdict
        /// The deciding rule; nil if there was none.
        let rule: RuleID?
    }

    private(set) var loads: [Key: Int] = [:]
    private(set) var times = TimeHistogram()

    mutating func add(_ records: [LoadRecord]) {
        var run: (key: Key, count: Int)?
        for record in records {
            times.note(microseconds: max(record.timing.total, 0))
            let key = Key(verdict: record.verdict, rule: record.rule)
            if run?.key == key {
                run?.count += 1
            } else {
                note(run)
                run = (key, 1)
            }
        }
        note(run)
    }

    private mutating func note(_ run: (key: Key, count: Int)?) {
        guard let run else { return }
        loads[run.key, default: 0] += run.count
    }

    /// Loads that failed, or would be blocked, because of the TLS handshake with their origin.
    var failedHandshakes: [RuleID: Int] {
        var counts: [RuleID: Int] = [:]
        for (key, count) in loads {
            guard let rule = key.rule, Self.isOnHandshakes(rule) else { continue }
            switch key.verdict {
            case .blocked, .wouldBlock, .failed: counts[rule, default: 0] += count
            case .allowed, .outside: break
            }
        }
        return counts
    }

    private static func isOnHandshakes(_ rule: RuleID) -> Bool {
        switch rule.category {
        case .ats: rule != .cleartextLoad
        case .trust, .app, .tls: true
        case .network, .http, .client, .gate: false
        }
    }
}

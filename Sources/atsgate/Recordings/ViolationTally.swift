import ATSPolicy
import Records
import Reporting
import Synchronization
import Text

/// Refused loads by host and rule, and failed ones where they count: what baselines are about.
struct ViolationTally: Sendable {
    /// With the number of loads.
    private(set) var found: [Baseline.Entry: Int] = [:]

    mutating func add(host: String, rule: String?, loads: Int) {
        found[Baseline.Entry([host, rule ?? "-"]), default: 0] += loads
    }

    /// Those of a store that count.
    init(_ hosts: [HostTrouble] = [], failOn: FailOn = .blocked) {
        for trouble in hosts where failOn.counts(trouble.verdict) {
            add(host: trouble.host, rule: trouble.rule, loads: trouble.loads)
        }
    }
}

/// Gathers them while a run goes on.
final class ViolationSink: RecordSink {
    let name = "baseline"
    private let failOn: FailOn
    private let tally = Mutex(ViolationTally())

    init(failOn: FailOn) {
        self.failOn = failOn
    }

    func write(_ records: [LoadRecord]) {
        tally.withLock { tally in
            for record in records where failOn.counts(record.verdict) {
                let rule = record.diagnosis?.findings.first?.rule.rawValue
                tally.add(host: record.load.target.host, rule: rule, loads: 1)
            }
        }
    }

    func close() {}

    var violations: ViolationTally { tally.withLock { $0 } }
}

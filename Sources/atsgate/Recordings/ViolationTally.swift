import ATSPolicy
import Records
import Reporting
import Synchronization
import Text

/// Refused loads by host and rule: what baselines are about.
struct ViolationTally: Sendable {
    /// With the number of loads.
    private(set) var found: [Baseline.Entry: Int] = [:]

    mutating func add(host: String, rule: String?, loads: Int) {
        found[Baseline.Entry([host, rule ?? "-"]), default: 0] += loads
    }

    /// Those of a store.
    init(_ hosts: [HostTrouble] = []) {
        for trouble in hosts where trouble.isViolation {
            add(host: trouble.host, rule: trouble.rule, loads: trouble.loads)
        }
    }
}

/// Gathers them while a run goes on.
final class ViolationSink: RecordSink {
    let name = "baseline"
    private let tally = Mutex(ViolationTally())

    func write(_ records: [LoadRecord]) {
        tally.withLock { tally in
            for record in records where record.verdict == .blocked || record.verdict == .wouldBlock {
                let rule = record.diagnosis?.findings.first?.rule.rawValue
                tally.add(host: record.load.target.host, rule: rule, loads: 1)
            }
        }
    }

    func close() {}

    var violations: ViolationTally { tally.withLock { $0 } }
}

import ATSPolicy
import Records
import Reporting
import Synchronization

/// How the loads of each host end, gathered while a gate runs: what its exit code is judged by.
final class HostOutcomeSink: RecordSink {
    let name = "tally"
    private let counts = Mutex<[Ending: Int]>([:])

    private struct Ending: Hashable {
        let host: String
        let rule: String?
        let verdict: Verdict
    }

    func write(_ records: [LoadRecord]) {
        counts.withLock { counts in
            for record in records {
                let rule = record.diagnosis?.findings.first?.rule.rawValue
                counts[Ending(host: record.load.target.host, rule: rule, verdict: record.verdict), default: 0] += 1
            }
        }
    }

    func close() {}

    var outcomes: [HostOutcome] {
        counts.withLock { $0 }.map { outcome, loads in
            HostOutcome(host: outcome.host, rule: outcome.rule, verdict: outcome.verdict, loads: loads)
        }
    }
}

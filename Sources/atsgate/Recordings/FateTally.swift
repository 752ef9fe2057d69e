import ATSPolicy
import Records
import Reporting
import Synchronization

/// How the loads of each host end, gathered while a gate runs: what its exit code is judged by.
final class FateTally: RecordSink {
    let name = "tally"
    private let counts = Mutex<[Fate: Int]>([:])

    private struct Fate: Hashable {
        let host: String
        let rule: String?
        let verdict: Verdict
    }

    func write(_ records: [LoadRecord]) {
        counts.withLock { counts in
            for record in records {
                let rule = record.diagnosis?.findings.first?.rule.rawValue
                counts[Fate(host: record.load.target.host, rule: rule, verdict: record.verdict), default: 0] += 1
            }
        }
    }

    func close() {}

    var fates: [HostTrouble] {
        counts.withLock { $0 }.map { fate, loads in
            HostTrouble(host: fate.host, rule: fate.rule, verdict: fate.verdict, loads: loads)
        }
    }
}

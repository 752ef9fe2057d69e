import ATSPolicy
import Records
import Reporting
import Synchronization

/// Counts how the loads of each host end while a gate runs; the exit code depends on this.
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
            // Most loads end like the one before.
            var run: (ending: Ending, loads: Int)?
            for record in records {
                let ending = Ending(
                    host: record.load.target.host, rule: record.diagnosis?.rule?.rawValue, verdict: record.verdict)
                if run?.ending == ending {
                    run?.loads += 1
                } else {
                    if let run { counts[run.ending, default: 0] += run.loads }
                    run = (ending, 1)
                }
            }
            if let run { counts[run.ending, default: 0] += run.loads }
        }
    }

    func close() {}

    var outcomes: [HostOutcome] {
        counts.withLock { $0 }.map { outcome, loads in
            HostOutcome(host: outcome.host, rule: outcome.rule, verdict: outcome.verdict, loads: loads)
        }
    }
}

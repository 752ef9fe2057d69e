import Diagnosis
import Records
import Reporting
import Synchronization
import Text

/// Counts the loads for which candidates differ from the policy in force, for the end of a run.
final class CandidateSink: RecordSink {
    let name = "candidates"
    /// By source of the candidate.
    private let tallies = Mutex([String: [RecordingReplay.Change: Int]]())

    func write(_ records: [LoadRecord]) {
        tallies.withLock { tallies in
            for record in records {
                for candidate in record.candidates {
                    let change = RecordingReplay.Change(from: record.verdict.replayed, to: candidate.verdict)
                    tallies[candidate.source, default: [:]][change, default: 0] += 1
                }
            }
        }
    }

    func close() {}

    /// A line for each candidate that differs; empty for none.
    func notice(recording: String, storePath: String?) -> String {
        let tallies = tallies.withLock { $0 }
        return tallies.sorted { $0.key < $1.key }.compactMap { source, tally in
            guard tally.contains(where: { $0.key != .same && $0.value > 0 }) else { return nil }
            let counts = RecordingReplay.Change.allCases.map { "\($0.words) \(tally[$0, default: 0])" }
            var lines = ["candidate \(source): \(counts.joined(separator: ", "))"]
            if let storePath {
                lines.append(
                    "  atsgate replay --store \(storePath.shellWord) --recording \(recording.shellWord) --policy "
                        + source.shellWord)
            }
            return lines.map { "atsgate: \($0.printable)\n" }.joined()
        }.joined()
    }
}

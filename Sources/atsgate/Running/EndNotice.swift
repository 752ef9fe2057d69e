import Records
import Reporting
import Text

extension ArchiveSummary {
    /// What became of the loads, in one line, and what could not be recorded, in one each.
    func notice(recording: String, storePath: String?) -> String {
        let counts = Verdict.allCases.compactMap { verdict in
            verdicts[verdict].map { "\($0) \(verdict.rawValue)" }
        }
        let loads = filed == 1 ? "1 load" : "\(filed) loads"
        var lines = [([loads] + (counts.isEmpty ? [] : [counts.joined(separator: ", ")])).joined(separator: ": ")]
        if let storePath, filed > 0 {
            lines.append("atsgate report --store \(storePath.shellWord) --recording \(recording.shellWord)")
        }
        for sink in sinks where !sink.isComplete {
            let cause = sink.closeError ?? sink.firstError ?? "unknown"
            lines.append("error: \(sink.name) lacks \(sink.lost) records: \(cause)")
        }
        if faults > 0 {
            lines.append(
                "error: the gate itself was at fault in \(faults == 1 ? "1 load" : "\(faults) loads"), see gate.fault")
        }
        if late > 0 { lines.append("error: \(late) records came too late to be kept") }
        return lines.map { "atsgate: \($0.printable)\n" }.joined()
    }

    /// Loads that a device would have refused, whether or not they were.
    var violations: Int { verdicts[.blocked, default: 0] + verdicts[.wouldBlock, default: 0] }
}

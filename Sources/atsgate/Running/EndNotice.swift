import Records
import Reporting
import Text

extension ArchiveSummary {
    /// What became of the loads, in one line, and what could not be recorded, in one each.
    func notice(storePath: String?) -> String {
        var lines: [String] = []
        for recording in recordings {
            guard let storePath else { break }
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
        return verdictLine + lines.map { "atsgate: \($0.printable)\n" }.joined()
    }

    /// How many loads there were and how they ended, in one line with its end.
    var verdictLine: String {
        let counts = Verdict.allCases.compactMap { verdict in
            verdicts[verdict].map { "\($0) \(verdict.rawValue)" }
        }
        let loads = filed == 1 ? "1 load" : "\(filed) loads"
        let line = ([loads] + (counts.isEmpty ? [] : [counts.joined(separator: ", ")])).joined(separator: ": ")
        return "atsgate: \(line)\n"
    }
}

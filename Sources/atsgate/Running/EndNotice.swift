import Records
import Reporting
import Text

extension ArchiveSummary {
    /// The verdicts in one line, then a line for each problem with the records.
    ///
    /// - Parameter failedOnDevice: loads that would also fail on a device.
    func notice(storePath: String?, failedOnDevice: Int) -> String {
        var lines: [String] = []
        for recording in recordings {
            guard let storePath else { break }
            let store = storePath == DataDirectory.storePath ? "" : " --store \(storePath.shellWord)"
            lines.append("again: atsgate report\(store) --recording \(recording.shellWord)")
        }
        for sink in sinks where !sink.isComplete {
            let cause = sink.closeError ?? sink.firstError ?? "unknown"
            lines.append("error: \(sink.name) is missing \(sink.lost) records: \(cause)")
        }
        if faults > 0 {
            lines.append(
                "error: the gate itself failed in \(faults == 1 ? "1 load" : "\(faults) loads"), see gate.fault")
        }
        if late > 0 { lines.append("error: \(late) records arrived too late to be kept") }
        return verdictLine(failedOnDevice) + lines.map { "atsgate: \($0.printable)\n" }.joined()
    }

    /// The number of loads and their verdicts, in one line.
    private func verdictLine(_ failedOnDevice: Int) -> String {
        let counts = Verdict.allCases.compactMap { verdict in
            verdicts[verdict].map { loads in
                let beside = verdict == .failed && failedOnDevice > 0 ? " (\(failedOnDevice) on a device, too)" : ""
                return "\(loads) \(verdict.rawValue)" + beside
            }
        }
        let loads = filed == 1 ? "1 load" : "\(filed) loads"
        let line = ([loads] + (counts.isEmpty ? [] : [counts.joined(separator: ", ")])).joined(separator: ": ")
        return "atsgate: \(line)\n"
    }
}

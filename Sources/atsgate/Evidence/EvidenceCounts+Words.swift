import Evidence
import Text

extension EvidenceCounts {
    /// For example `3 loads in 120 lines of 2 logs: 2 blocked, 1 allowed`.
    func words(logs: Int) -> String {
        let parts = EvidenceTask.Outcome.allCases.compactMap { outcome in
            outcomes[outcome].map { "\($0) \(outcome.rawValue)" }
        }
        let ends = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
        let read = "\(lines) \(lines == 1 ? "line" : "lines")"
        return "\(loads.loads) in \(read) of \(logs == 1 ? "a log" : "\(logs) logs")\(ends)"
    }

    /// Sentences about input that was skipped or belongs to no load.
    var remarks: [String] {
        let all: [(Int, unit: String, String)] = [
            (unjoinedLines, "line", "that match no load, or more than one"),
            (unfinishedMessages, "message", "without an end"),
            (cutLines, "line", "longer than 256 KiB; only the beginning was read"),
            (binaryLines, "line", "with zero bytes, skipped"),
            (escapedLines, "line", "with terminal sequences, which were removed"),
            (brokenObjects, "JSON object", "incomplete or invalid"),
            (earlyLoads, "load", "closed before the end, because too many were open or 200,000 lines passed"),
            (lateLines, "line", "of loads that were already closed"),
        ]
        let lines = all.filter { $0.0 > 0 }.map { count, unit, what in
            "\(count) \(unit)\(count == 1 ? "" : "s") \(what)"
        }
        let causes = OtherCause.allCases.filter { otherCauses[$0] != nil }.map { "not ATS: \($0.words)" }
        return causes + lines + (isUTF16 ? ["the log was read as UTF-16"] : [])
    }

    mutating func add(_ other: EvidenceCounts) { self = merged(with: other) }
}

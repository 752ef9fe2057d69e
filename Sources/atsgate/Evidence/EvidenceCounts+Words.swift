import Evidence

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

    /// What was passed over or could not be joined, as sentences.
    var remarks: [String] {
        let all: [(Int, String)] = [
            (unjoinedLines, "about loads that could not be told apart"),
            (unfinishedMessages, "whose end is missing"),
            (cutLines, "longer than 256 KiB, of which the beginning was read"),
            (binaryLines, "with zero bytes, passed over"),
            (escapedLines, "with terminal sequences, which were taken out"),
            (brokenObjects, "of JSON that does not end or is none"),
            (earlyLoads, "handed on before the end of their loads, because too many were open"),
            (lateLines, "about loads that had been handed on"),
        ]
        let lines = all.filter { $0.0 > 0 }.map { count, what in
            "\(count) \(count == 1 ? "line or message" : "lines or messages") \(what)"
        }
        return lines + (isUTF16 ? ["the log is UTF-16, and was read as such"] : [])
    }

    mutating func add(_ other: EvidenceCounts) { self = merged(with: other) }
}

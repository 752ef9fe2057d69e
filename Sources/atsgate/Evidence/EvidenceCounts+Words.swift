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

    /// Sentences about input that was skipped or belongs to no load.
    var remarks: [String] {
        let all: [(Int, String)] = [
            (unjoinedLines, "that could belong to several loads"),
            (unfinishedMessages, "without an end"),
            (cutLines, "longer than 256 KiB; only the beginning was read"),
            (binaryLines, "with zero bytes, skipped"),
            (escapedLines, "with terminal sequences, which were removed"),
            (brokenObjects, "of incomplete or invalid JSON"),
            (earlyLoads, "of loads that were closed early because too many were open"),
            (lateLines, "of loads that were already closed"),
        ]
        let lines = all.filter { $0.0 > 0 }.map { count, what in
            "\(count) \(count == 1 ? "line or message" : "lines or messages") \(what)"
        }
        return lines + (isUTF16 ? ["the log was read as UTF-16"] : [])
    }

    mutating func add(_ other: EvidenceCounts) { self = merged(with: other) }
}

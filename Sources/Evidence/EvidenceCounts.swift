/// Counts of a reader: input, results and problems.
public struct EvidenceCounts: Sendable, Hashable {
    public internal(set) var bytes = 0
    public internal(set) var lines = 0
    public internal(set) var messages = 0
    /// Messages about a load.
    public internal(set) var facts = 0
    public internal(set) var outcomes: [EvidenceTask.Outcome: Int] = [:]
    /// Failures with a known cause other than ATS.
    public internal(set) var otherCauses: [OtherCause: Int] = [:]
    /// Lines longer than 256 KiB; only their beginning was read.
    public internal(set) var cutLines = 0
    /// Lines with a zero byte, which were skipped.
    public internal(set) var binaryLines = 0
    /// Lines with terminal sequences, which were removed.
    public internal(set) var escapedLines = 0
    public internal(set) var isUTF16 = false
    /// JSON objects that are incomplete or invalid.
    public internal(set) var brokenObjects = 0
    /// Messages without an end, cut by the person who copied the log or by the system's own limit.
    public internal(set) var unfinishedMessages = 0
    /// Lines about loads that match no load, or more than one.
    public internal(set) var unjoinedLines = 0
    /// Loads that were delivered before their end, because too many were open.
    public internal(set) var earlyLoads = 0
    /// Lines about loads that were already delivered.
    public internal(set) var lateLines = 0

    public init() {}

    /// The sum of two counts.
    public func merged(with other: EvidenceCounts) -> EvidenceCounts {
        var sum = self
        for path in Self.numbers { sum[keyPath: path] += other[keyPath: path] }
        sum.outcomes.merge(other.outcomes) { $0 + $1 }
        sum.otherCauses.merge(other.otherCauses) { $0 + $1 }
        sum.isUTF16 = isUTF16 || other.isUTF16
        return sum
    }

    private static var numbers: [WritableKeyPath<EvidenceCounts, Int>] {
        [
            \.bytes, \.lines, \.messages, \.facts, \.cutLines, \.binaryLines, \.escapedLines, \.brokenObjects,
            \.unfinishedMessages, \.unjoinedLines, \.earlyLoads, \.lateLines,
        ]
    }

    /// The number of all loads.
    public var loads: Int { outcomes.values.reduce(0, +) }
}

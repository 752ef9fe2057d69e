/// What a reader met besides loads.
public struct EvidenceCounts: Sendable, Hashable {
    public internal(set) var bytes = 0
    public internal(set) var lines = 0
    public internal(set) var messages = 0
    /// Messages that say something of a load.
    public internal(set) var facts = 0
    public internal(set) var outcomes: [EvidenceTask.Outcome: Int] = [:]
    /// Lines longer than 256 KiB, of which the beginning was read.
    public internal(set) var cutLines = 0
    /// Lines with a zero byte, which were passed over.
    public internal(set) var binaryLines = 0
    /// Lines with terminal sequences, which were taken out.
    public internal(set) var escapedLines = 0
    public internal(set) var isUTF16 = false
    /// JSON objects that do not end, or are none.
    public internal(set) var brokenObjects = 0
    /// Messages whose end is missing: cut by whoever copied the log, or by the system's own limit.
    public internal(set) var unfinishedMessages = 0
    /// Lines about loads that fit none, or more than one.
    public internal(set) var unjoinedLines = 0
    /// Loads that were handed on before their end, because too many were open.
    public internal(set) var earlyLoads = 0
    /// Lines about loads that had been handed on.
    public internal(set) var lateLines = 0

    public init() {}

    /// Both together.
    public func merged(with other: EvidenceCounts) -> EvidenceCounts {
        var sum = self
        for path in Self.numbers { sum[keyPath: path] += other[keyPath: path] }
        sum.outcomes.merge(other.outcomes) { $0 + $1 }
        sum.isUTF16 = isUTF16 || other.isUTF16
        return sum
    }

    private static var numbers: [WritableKeyPath<EvidenceCounts, Int>] {
        [
            \.bytes, \.lines, \.messages, \.facts, \.cutLines, \.binaryLines, \.escapedLines, \.brokenObjects,
            \.unfinishedMessages, \.unjoinedLines, \.earlyLoads, \.lateLines,
        ]
    }

    /// All loads.
    public var loads: Int { outcomes.values.reduce(0, +) }
}

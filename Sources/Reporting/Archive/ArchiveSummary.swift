public import Records

/// What became of the records of one run.
public struct ArchiveSummary: Sendable, Hashable {
    /// Records that the archive was given.
    public var filed = 0
    /// How the filed loads ended; decides the exit code of `run`.
    public var verdicts: [Verdict: Int] = [:]
    /// Names that they were filed under, in the order met.
    public private(set) var recordings: [String] = []
    public var sinks: [SinkSummary] = []
    /// Loads that broke by a fault of the gate itself, which is not theirs, nor their origins'.
    public var faults = 0
    /// Records that came after the archive was closed.
    public var late = 0

    public init() {}

    mutating func note(_ recording: String) {
        if !recordings.contains(recording) { recordings.append(recording) }
    }

    mutating func count(_ verdict: Verdict, times: Int) {
        if times > 0 { verdicts[verdict, default: 0] += times }
    }

    /// False when some sink lacks a record: the command exits 74.
    public var isComplete: Bool { late == 0 && sinks.allSatisfy(\.isComplete) }

    /// The first thing that went wrong, recovered or not.
    public var firstError: String? { sinks.lazy.compactMap(\.firstError).first }
}

/// What became of the records in one sink.
public struct SinkSummary: Sendable, Hashable {
    public var name: String
    public var stored = 0
    public var lost = 0
    public var firstError: String?
    /// Why the sink could not be closed properly; what it acknowledged may be cut short.
    public var closeError: String?

    public var isComplete: Bool { lost == 0 && closeError == nil }
}

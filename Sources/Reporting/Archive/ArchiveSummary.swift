public import Records

/// The records of one run, and what happened to them.
public struct ArchiveSummary: Sendable, Hashable {
    /// The number of records that were filed.
    public var filed = 0
    /// The number of filed loads by verdict; decides the exit code of `run`.
    public var verdicts: [Verdict: Int] = [:]
    /// The recordings they were filed under, in order of first use.
    public private(set) var recordings: [String] = []
    public var sinks: [SinkSummary] = []
    /// Loads that failed because of a fault in the gate itself.
    public var faults = 0
    /// Records that were filed after the archive was closed.
    public var late = 0

    public init() {}

    mutating func note(_ recording: String) {
        if !recordings.contains(recording) { recordings.append(recording) }
    }

    mutating func count(_ verdict: Verdict, times: Int) {
        if times > 0 { verdicts[verdict, default: 0] += times }
    }

    /// False if some sink lacks a record; the command then exits with 74.
    public var isComplete: Bool { late == 0 && sinks.allSatisfy(\.isComplete) }

    /// The first error, recovered or not.
    public var firstError: String? { sinks.lazy.compactMap(\.firstError).first }
}

/// The records of one sink: stored, lost, and the first error.
public struct SinkSummary: Sendable, Hashable {
    public var name: String
    public var stored = 0
    public var lost = 0
    public var firstError: String?
    /// The reason why the sink could not be closed properly; records that it acknowledged may be incomplete.
    public var closeError: String?

    public var isComplete: Bool { lost == 0 && closeError == nil }
}

public import Records
public import Text

/// Which loads of a store are wanted: those that meet every condition. A condition of several values is met by any of
/// them; an empty one, or nil, by every load.
public struct RecordFilter: Sendable, Hashable {
    /// Names of runs.
    public var recordings: [String] = []
    public var hosts: [Glob] = []
    public var verdicts: Set<Verdict> = []
    /// Of the deciding rule; a load without one meets none.
    public var rules: [Glob] = []
    /// Of the listener that a client came in by.
    public var labels: Set<String> = []
    /// Ways in which loads came.
    public var entrances: Set<LoadEntrance> = []
    /// What clients are called: by their label, else by their address.
    public var devices: Set<String> = []
    /// Of a shared store: which gates, by their machine or their label.
    public var gates: [Glob] = []
    /// Words that are found in a load.
    public var search = LoadSearch()
    /// Loads that began then or later, in milliseconds since 1970-01-01 UTC.
    public var since: Int64?
    /// Loads that began before, in milliseconds since 1970-01-01 UTC.
    public var until: Int64?
    /// Of a file alone: rows that were filed behind the one of this number; see ``StoreSink/lastRow()``.
    public var after: Int64?

    /// - Parameter recording: nil for all.
    public init(recording: String? = nil) {
        recordings = recording.map { [$0] } ?? []
    }

    /// Nothing else is asked of a load than its recording.
    var isOfRecordingsAlone: Bool {
        var plain = RecordFilter()
        plain.recordings = recordings
        return self == plain
    }
}

/// What the rows of a report stand for. Raw values are what `--by` takes.
public enum ReportGrouping: String, Sendable, Hashable, CaseIterable {
    case host, rule
    /// By the label of the listener, or the client's address where it has none.
    case device
    /// How loads came in.
    case entrance
    /// Of a shared store, by the machine and the label of the gate.
    case gate
}

public import ATSPolicy
public import Records
public import Text

/// Selects loads of a store that meet every condition. A condition with several values is met by any of them; an empty
/// one, or nil, by every load.
public struct RecordFilter: Sendable, Hashable {
    /// Names of recordings.
    public var recordings: [String] = []
    public var hosts: [Glob] = []
    public var verdicts: Set<Verdict> = []
    /// Patterns for the deciding rule; a load without one matches none.
    public var rules: [Glob] = []
    /// Patterns for the app's name in the User-Agent; a load without one matches none.
    public var apps: [Glob] = []
    /// Labels of the listeners that clients used.
    public var labels: Set<String> = []
    /// The ways in which loads reached the gate.
    public var entrances: Set<LoadEntrance> = []
    /// The meanings of clients' hellos.
    public var hellos: Set<HelloReading.Kind> = []
    /// Names of devices: their label, or else their address.
    public var devices: Set<String> = []
    /// Gates of a shared store, by machine or label.
    public var gates: [Glob] = []
    /// Words that occur in a load.
    public var search = LoadSearch()
    /// Loads that began at this time or later, in milliseconds since 1970-01-01 UTC.
    public var since: Int64?
    /// Loads that began before this time, in milliseconds since 1970-01-01 UTC.
    public var until: Int64?
    /// Rows of a file that were stored after the one with this number; see ``StoreSink/lastRow()``.
    public var after: Int64?

    /// - Parameter recording: nil for all.
    public init(recording: String? = nil) {
        recordings = recording.map { [$0] } ?? []
    }
}

/// The grouping of a report's rows. Raw values are those of `--by`.
public enum ReportGrouping: String, Sendable, Hashable, CaseIterable {
    case host, rule
    /// By the app's name in the User-Agent.
    case app
    /// By the label of the listener, or the client's address if it has none.
    case device
    /// By the way in which loads reached the gate.
    case entrance
    /// By the machine and the label of the gate, in a shared store.
    case gate
}

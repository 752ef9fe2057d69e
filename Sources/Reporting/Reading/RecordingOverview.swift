public import Records

/// One recording of a store: its loads, clients and rules at a glance.
public struct RecordingOverview: Sendable, Hashable {
    /// How loads that break the rules were treated. Raw values are those of `--mode`, and one for device logs.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        case enforce, audit, witness
        /// From an imported log of what a device did, without a gate.
        case device
    }

    public let name: String
    /// When it began, with its gate or its first load, and when its last load began, in milliseconds since 1970-01-01
    /// UTC.
    public let first: Int64
    public let last: Int64
    /// The number of loads by verdict; verdicts that did not occur are left out.
    public let counts: [Verdict: Int]
    /// The number of hosts.
    public let hosts: Int
    /// Names of the dictionaries' files, or `secure defaults`, followed by the bundle identifier.
    public let policies: [String]
    /// Paths of these files as they were given; nil for the secure defaults.
    public let sources: Set<String?>
    /// Names of the emulated releases.
    public let systems: [String]
    /// Labels of the listeners that were used.
    public let labels: [String]
    /// The modes that its records contain.
    let recordedModes: Set<Mode>
    /// The size of its loads and shared rows, without diagnoses, handshakes and indexes; nil if it was not requested.
    public let bytes: Int64?

    public var loads: Int { counts.values.reduce(0, +) }

    /// The modes; several if the name was used with several. Blocked loads imply one.
    public var modes: Set<Mode> {
        recordedModes.union(
            (counts[.blocked] == nil || recordedModes == [.device] ? [] : [.enforce])
                + (counts[.wouldBlock] == nil || recordedModes.contains(.witness) ? [] : [.audit]))
    }
}

public import Records

/// One recording of a store: what was recorded, of whom and under which law.
public struct RecordingOverview: Sendable, Hashable {
    /// How loads that break the law were treated. Raw values are those of `--mode`, and one for what devices logged.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        case enforce, audit, witness
        /// A log that was taken in tells what a device did: no gate was there.
        case device
    }

    public let name: String
    /// When it began, with its gate or its first load, and begin of its last load, in milliseconds since 1970-01-01 UTC.
    public let first: Int64
    public let last: Int64
    /// How the loads ended; verdicts that did not happen are left out.
    public let counts: [Verdict: Int]
    /// How many hosts there were.
    public let hosts: Int
    /// Names of the dictionaries' files, `secure defaults` for none, with the bundle's identifier behind.
    public let policies: [String]
    /// Their files as they were named; nil for the secure defaults.
    public let sources: Set<String?>
    /// Names of the emulated systems.
    public let systems: [String]
    /// Labels of the listeners that were used.
    public let labels: [String]
    /// The modes as its records tell; older ones do not.
    let toldModes: Set<Mode>
    /// What its loads and what they share take in the file, without indexes and handshakes; nil where it was not asked for.
    public let bytes: Int64?

    public var loads: Int { counts.values.reduce(0, +) }

    /// The mode, both where the name was used for both. Older records tell it by how loads ended, and not at all where
    /// nothing was refused.
    public var modes: Set<Mode> {
        toldModes.union(
            (counts[.blocked] == nil || toldModes == [.device] ? [] : [.enforce])
                + (counts[.wouldBlock] == nil || toldModes.contains(.witness) ? [] : [.audit]))
    }
}

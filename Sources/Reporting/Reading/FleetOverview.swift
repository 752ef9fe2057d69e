/// A gate, as a shared store knows it. The shipping gates choose the names: escape them for display.
public struct FleetGate: Sendable, Hashable {
    /// The identity of its spool, a UUID as RFC 9562 section 4 writes it.
    public let spool: String
    public var machine: String
    /// The label of its clients; nil if there is none.
    public var label: String?
    /// The version of atsgate.
    public var version: String
    /// The login that ships the spool.
    public var owner: String
    /// The name of its dictionary; nil for the secure defaults.
    public var policy: String?
    /// When its spool was first seen in the store, and when it last reported, in milliseconds since 1970; nil if it
    /// never reported.
    public var started: Int64?
    public var seen: Int64?
    /// The time since its last report, by the server's clock; 0 if it never reported.
    public var silentSeconds: Int64 = 0
    /// The number of the last load that it shipped.
    public var shipped: Int64 = 0
    /// Loads that it had not shipped when it was seen.
    public var waiting: Int64 = 0
    public var loads: Int64 = 0
    /// The loads among these that the ATS rules forbid, blocked or not.
    public var blocked: Int64 = 0

    public init(spool: String, machine: String, version: String, owner: String) {
        self.spool = spool
        self.machine = machine
        self.version = version
        self.owner = owner
    }

    /// Its machine, and its label if it has one.
    public var name: String { label.map { "\(machine) \($0)" } ?? machine }

    /// True if there was no report for a while. A running gate reports every ten seconds; one that was stopped is
    /// silent too.
    public var isSilent: Bool { seen == nil || silentSeconds > Self.longestSilence }

    /// In seconds.
    private static let longestSilence = 120
}

/// Loads of one host that one rule forbids, over all gates.
public struct BlockedHost: Sendable, Hashable {
    public let host: String
    /// nil if no rule decided.
    public let rule: String?
    public let loads: Int64
    /// When the last of them began, in milliseconds since 1970-01-01 UTC.
    public let last: Int64
    /// The number of gates that recorded them.
    public let gateCount: Int64
    /// The spools of these gates, the one with the most loads first; truncated if there are many.
    public let spools: [String]

    public init(host: String, rule: String?, loads: Int64, last: Int64, gateCount: Int64, spools: [String]) {
        self.host = host
        self.rule = rule
        self.loads = loads
        self.last = last
        self.gateCount = gateCount
        self.spools = spools
    }
}

/// The gates of a shared store at one moment, and the loads they blocked.
public struct FleetOverview: Sendable, Hashable {
    /// The gates that reported most recently, the latest first.
    public var gates: [FleetGate]
    /// The number of all gates.
    public var gateCount: Int
    /// The hosts with the most loads first; truncated if there are many.
    public var blocked: [BlockedHost] = []
    /// A note for the user about missing data, with the reason; nil if the overview is complete.
    public var note: String?
    /// The spool of the gate that reads this; nil if none.
    public var ownSpool: String?

    public init(gates: [FleetGate], gateCount: Int) {
        self.gates = gates
        self.gateCount = gateCount
    }
}

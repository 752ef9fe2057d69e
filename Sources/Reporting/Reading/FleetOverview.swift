/// A gate as a shared store knows it. Names are written by whoever ships: escape them where they are shown.
public struct FleetGate: Sendable, Hashable {
    /// Its spool, a UUID as RFC 9562 section 4 writes it.
    public let spool: String
    public var machine: String
    /// What its clients are called; nil for nothing.
    public var label: String?
    /// Of atsgate.
    public var version: String
    /// The login that ships the spool.
    public var owner: String
    /// The name of its dictionary; nil for the secure defaults.
    public var policy: String?
    /// When its spool came to the store, and when it was heard of last, in milliseconds since 1970; nil where it never said.
    public var started: Int64?
    public var seen: Int64?
    /// Since then, by the server's clock; 0 where it never said.
    public var silentSeconds: Int64 = 0
    /// The number of the last load that it shipped.
    public var shipped: Int64 = 0
    /// Loads that it had not shipped when it was seen.
    public var waiting: Int64 = 0
    public var loads: Int64 = 0
    /// Of these, those that the law forbids, whether they were let pass or not.
    public var blocked: Int64 = 0

    public init(spool: String, machine: String, version: String, owner: String) {
        self.spool = spool
        self.machine = machine
        self.version = version
        self.owner = owner
    }

    /// Its machine, and its label where it has one.
    public var name: String { label.map { "\(machine) \($0)" } ?? machine }

    /// A gate that runs is heard of every ten seconds. One that has ended is silent, too.
    public var isSilent: Bool { seen == nil || silentSeconds > Self.longestSilence }

    /// In seconds.
    private static let longestSilence = 120
}

/// Loads of one host that one rule forbids, of all gates.
public struct BlockedHost: Sendable, Hashable {
    public let host: String
    /// nil where none decided.
    public let rule: String?
    public let loads: Int64
    /// When the last of them began, in milliseconds since 1970-01-01 UTC.
    public let last: Int64
    /// How many gates they came by.
    public let gateCount: Int64
    /// The spools of these, the one with the most loads first; not all where they are many.
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

/// The gates of a shared store at one moment, and what they blocked.
public struct FleetOverview: Sendable, Hashable {
    /// Those that were heard of last, the latest first.
    public var gates: [FleetGate]
    /// How many there are.
    public var gateCount: Int
    /// The most loads first; not all where they are many.
    public var blocked: [BlockedHost] = []
    /// What is missing in it, and why, for people; nil for nothing.
    public var note: String?
    /// The spool of the gate that asks; nil for none.
    public var ownSpool: String?

    public init(gates: [FleetGate], gateCount: Int) {
        self.gates = gates
        self.gateCount = gateCount
    }
}

internal import ATSPolicy

/// A device, known by its visits to the gate's own pages and by its loads.
public struct Device: Sendable, Hashable {
    /// Without a port.
    public let address: String
    /// The label of its latest listener.
    public internal(set) var label: String?
    /// The system that the device's browser reported, as text; nil if none has.
    public internal(set) var system: String?
    /// The release that its latest load was judged by, for example `ios26.4`; nil before the first load.
    public private(set) var profile: String?
    /// The release that the device's latest load reported, as text (`iOS 17.4`); nil if the load was judged by that
    /// release.
    public private(set) var reportedRelease: String?
    /// The state of ATS in the app of its latest load whose hello shows it; nil before one did.
    public internal(set) var build: InstalledATS?
    /// The User-Agent of its latest load.
    private var agent: String?
    /// True if it has sent checks of the connection, and no load of an app. The usual reason is a VPN, also one that
    /// connects on demand, iCloud Private Relay, or a content filter (inferred). Source for VPNs: Apple,
    /// NEVPNProtocol.includeAllNetworks: traffic "for connecting to captive networks" is never sent through the tunnel
    /// (documented).
    public var onlyChecks: Bool { hasChecked && seen[.apps] == nil }
    /// True if it has sent a check of the connection.
    var hasChecked = false
    /// When each light was last on, in milliseconds since 1970-01-01 UTC.
    public internal(set) var seen: [Light: Int64] = [:]
    /// When it fetched the certificate, in the same unit.
    public internal(set) var fetched: Int64?
    /// When it last refused the gate's own leaf, in the same unit.
    public internal(set) var refused: Int64?
    /// When it was last seen, in the same unit.
    public internal(set) var last: Int64 = 0

    init(address: String) { self.address = address }

    /// Updates the release of its latest load. A User-Agent is read only when it changes, because reading is slow.
    mutating func noteLoad(by agent: String?, judgedAs system: String) {
        guard agent != self.agent || system != profile else { return }
        self.agent = agent
        profile = system
        reportedRelease = agent.flatMap { OSProfile.named(system)?.differingProfile(in: $0)?.title }
    }

    /// - Parameter time: in milliseconds since 1970-01-01 UTC; a later time is kept.
    mutating func show(_ lights: some Sequence<Light>, at time: Int64) {
        for light in lights { seen[light] = max(time, seen[light] ?? 0) }
        last = max(last, time)
    }
}

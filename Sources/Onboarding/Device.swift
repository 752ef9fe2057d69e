internal import ATSPolicy

/// What is known of a device: by its visits to the gate's own pages, and by its loads.
public struct Device: Sendable, Hashable {
    /// Without a port.
    public let address: String
    /// Of the listener that it came by last.
    public internal(set) var label: String?
    /// What its browser said that it is, as people call it; nil before one came that said so.
    public internal(set) var system: String?
    /// What its latest load was judged as, for example `ios26.4`; nil before there was one.
    public private(set) var profile: String?
    /// The system that its latest load named, where it was judged by another, for people: `iOS 17.4`.
    public private(set) var says: String?
    /// The agent that it was read from.
    private var agent: String?
    /// When each light was last seen to be on, in milliseconds since 1970-01-01 UTC.
    public internal(set) var seen: [Light: Int64] = [:]
    /// When it fetched the certificate; the same time.
    public internal(set) var fetched: Int64?
    /// When it last refused the gate's own leaf; the same time.
    public internal(set) var refused: Int64?
    /// When it was last heard of; the same time.
    public internal(set) var last: Int64 = 0

    init(address: String) { self.address = address }

    /// Takes note of what its latest load is judged as. Agents are read when they change: reading one takes a while.
    mutating func isAsked(by agent: String?, judgedAs system: String) {
        guard agent != self.agent || system != profile else { return }
        self.agent = agent
        profile = system
        says = agent.flatMap { OSProfile.named(system)?.contradiction(by: $0)?.title }
    }

    /// - Parameter time: in milliseconds since 1970-01-01 UTC; what came later already stays.
    mutating func show(_ lights: some Sequence<Light>, at time: Int64) {
        for light in lights { seen[light] = max(time, seen[light] ?? 0) }
        last = max(last, time)
    }
}

public import ATSPolicy
import Text

/// Plans routes to origins from the user's options.
public struct DialPlanner: Sendable {
    /// The first match is used.
    public var connectTo: [ConnectTo]
    /// The proxy used to reach origins.
    public var parent: ParentProxy?
    /// Hosts that are dialed directly even with a parent.
    public var bypass: ParentBypass

    public init(connectTo: [ConnectTo] = [], parent: ParentProxy? = nil, bypass: ParentBypass = ParentBypass()) {
        self.connectTo = connectTo
        self.parent = parent
        self.bypass = bypass
    }

    /// Returns the route to `target`: `--connect-to` first, then the parent proxy, unless the host bypasses it.
    ///
    /// - Parameter isInTunnel: the parent must open a tunnel, because the bytes may not be HTTP/1.
    public func plan(to target: LoadTarget, isInTunnel: Bool) -> DialPlan {
        let detour = connectTo.first { $0.matches(target) }
        let place = DialPlan.Endpoint(host: detour?.toHost ?? target.host, port: detour?.toPort ?? target.port)
        guard let parent, !bypass.contains(place.host, place.port), !bypass.contains(target.host, target.port)
        else { return DialPlan(first: place, parent: nil, tunnel: nil, isChosen: detour?.toHost != nil) }
        // A parent that reads a request would use its URL and ignore `--connect-to`.
        let needsTunnel = isInTunnel || target.scheme == .https || detour != nil
        return DialPlan(
            first: DialPlan.Endpoint(host: parent.host, port: parent.port), parent: parent,
            tunnel: needsTunnel ? place : nil, isChosen: true)
    }
}

/// The route to an origin: the address to dial, and the tunnel to request from a parent proxy.
public struct DialPlan: Sendable {
    public struct Endpoint: Sendable, Hashable {
        public let host: String
        public let port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// The address to dial: the origin's, or the parent's.
    public let first: Endpoint
    public let parent: ParentProxy?
    /// The target of the parent's tunnel; nil if the parent reads the requests itself, or is not used.
    public let tunnel: Endpoint?
    /// True if the user chose the address, by a parent proxy or by `--connect-to`.
    public let isChosen: Bool

    /// The same route, using one address of the dialed name.
    public func over(_ address: String) -> DialPlan {
        DialPlan(
            first: Endpoint(host: address, port: first.port), parent: parent, tunnel: tunnel, isChosen: isChosen)
    }
}

/// One `--connect-to HOST:PORT:ADDR:PORT`, as curl's option of that name. nil matches every value, or keeps the
/// target's.
public struct ConnectTo: Sendable, Hashable {
    public var host: String?
    public var port: Int?
    public var toHost: String?
    public var toPort: Int?

    public init(host: String?, port: Int?, toHost: String?, toPort: Int?) {
        self.host = host.map { HostGrammar.normalized($0) }
        self.port = port
        self.toHost = toHost
        self.toPort = toPort
    }

    func matches(_ target: LoadTarget) -> Bool {
        (host.map { $0 == HostGrammar.normalized(target.host) } ?? true) && (port == nil || port == target.port)
    }
}

public import ATSPolicy

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

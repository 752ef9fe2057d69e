public import ATSPolicy

/// What the user says about ways to origins.
public struct DialPlanner: Sendable {
    /// The first that matches counts.
    public var connectTo: [ConnectTo]
    /// The proxy that origins are reached through.
    public var parent: ParentProxy?
    /// Hosts that are dialed although there is a parent.
    public var bypass: ParentBypass

    public init(connectTo: [ConnectTo] = [], parent: ParentProxy? = nil, bypass: ParentBypass = ParentBypass()) {
        self.connectTo = connectTo
        self.parent = parent
        self.bypass = bypass
    }

    /// The way to `target`: `--connect-to` first, then the parent proxy, unless the host is one that goes without.
    ///
    /// - Parameter isInTunnel: a parent must not read the requests itself: they may be no HTTP/1.
    public func plan(to target: LoadTarget, isInTunnel: Bool) -> DialPlan {
        let detour = connectTo.first { $0.matches(target) }
        let place = DialPlan.Place(host: detour?.toHost ?? target.host, port: detour?.toPort ?? target.port)
        guard let parent, !bypass.contains(place.host, place.port), !bypass.contains(target.host, target.port)
        else { return DialPlan(first: place, parent: nil, tunnel: nil, isChosen: detour?.toHost != nil) }
        // A parent that reads a request would go by its URL, past `--connect-to`.
        let needsTunnel = isInTunnel || target.scheme == .https || detour != nil
        return DialPlan(
            first: DialPlan.Place(host: parent.host, port: parent.port), parent: parent,
            tunnel: needsTunnel ? place : nil, isChosen: true)
    }
}

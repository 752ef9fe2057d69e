import ATSPolicy
import ProxyCore

/// The way to an origin: what is dialed, and what a parent proxy is asked for.
struct DialPlan {
    struct Place {
        let host: String
        let port: Int
    }

    /// What is dialed: the origin, or the parent.
    let first: Place
    let parent: ParentProxy?
    /// Where the parent has to open a tunnel to; nil where it reads the requests itself, or is not asked at all.
    let tunnel: Place?

    /// How the link reaches its origin once it stands.
    var route: OriginRoute {
        guard let parent else { return .direct }
        return tunnel == nil
            ? .parent(parent.name, authorization: parent.authorization) : .tunnel(through: parent.name)
    }
}

extension GateSettings {
    /// The way to `target`: `--connect-to` first, then the parent proxy, unless the host is one that goes without.
    ///
    /// - Parameter isInTunnel: a parent must not read the requests itself: they may be no HTTP/1.
    func dialPlan(to target: LoadTarget, isInTunnel: Bool) -> DialPlan {
        let detour = connectTo.first { $0.matches(target) }
        let place = DialPlan.Place(host: detour?.toHost ?? target.host, port: detour?.toPort ?? target.port)
        guard let parent, !parentBypass.contains(place.host, place.port),
            !parentBypass.contains(target.host, target.port)
        else { return DialPlan(first: place, parent: nil, tunnel: nil) }
        // A parent that reads a request would go by its URL, past `--connect-to`.
        let needsTunnel = isInTunnel || target.scheme == .https || detour != nil
        return DialPlan(
            first: DialPlan.Place(host: parent.host, port: parent.port), parent: parent,
            tunnel: needsTunnel ? place : nil)
    }
}

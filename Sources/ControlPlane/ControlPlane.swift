/// The live page and its API.
public enum ControlPlane {
    /// All routes of a gate.
    ///
    /// - Parameter more: additional routes, such as those for setting up a phone.
    public static func site(
        rules: AccessRules, feed: LiveFeed, interface: GateInterface, limits: WebLimits = WebLimits(),
        more: [WebRoute] = []
    ) -> WebRouter {
        let slots = Slots(limit: limits.streams)
        let source = LoadSource(feed: feed, interface: interface, limits: limits)
        var router = WebRouter(rules, [.health, .events(of: feed, slots: slots), .verify(source, interface)])
        router.add(RecordRoutes(source: source, interface: interface).all)
        router.add(RecordingRoutes(source: source, interface: interface).all)
        router.add(PolicyRoutes(source: source, interface: interface).all)
        router.add(StateRoutes(source: source, interface: interface).all)
        router.add(TunnelRoutes(interface: interface).all)
        if let look = interface.fleet { router.add(FleetRoutes(look, monitor: interface.monitor).all) }
        router.add(WebRoute.page + more)
        return router
    }
}

/// The live page, its API, and what other rooms put beside them.
public enum ControlPlane {
    /// All that is served for a gate.
    ///
    /// - Parameter more: routes besides, such as those of a phone that is being set up.
    public static func site(
        rules: AccessRules, feed: LiveFeed, desk: GateDesk, limits: WebLimits = WebLimits(), more: [WebRoute] = []
    ) -> WebRouter {
        let seats = Seats(limit: limits.streams)
        let source = LoadSource(feed: feed, storePath: desk.storePath)
        var router = WebRouter(rules, [.health, .events(of: feed, seats: seats), .verify(source, desk)])
        router.add(RecordRoutes(source: source, desk: desk).all)
        router.add(RecordingRoutes(source: source, desk: desk).all)
        router.add(PolicyRoutes(source: source, desk: desk).all)
        router.add(StateRoutes(source: source, desk: desk).all)
        router.add(WebRoute.page + more)
        return router
    }
}

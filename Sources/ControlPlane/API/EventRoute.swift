import HTTPWire

extension WebRoute {
    /// The stream of live changes.
    static func events(of feed: LiveFeed, slots: Slots) -> WebRoute {
        WebRoute(.get, "/api/v1/events", .reading, isQuick: true) { _ in
            guard let slot = slots.take() else { throw WebProblem(503, "Too many pages are open.") }
            return WebAnswer("text/event-stream", body: .events(EventStream(of: feed, slot)))
        }
    }
}

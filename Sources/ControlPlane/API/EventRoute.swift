import HTTPWire

extension WebRoute {
    /// What happens, while it happens.
    static func events(of feed: LiveFeed, seats: Seats) -> WebRoute {
        WebRoute(.get, "/api/v1/events", .reading, isQuick: true) { _ in
            guard let seat = seats.take() else { throw WebProblem(503, "Too many pages are open already.") }
            return WebAnswer("text/event-stream", body: .events(EventStream(of: feed, seat)))
        }
    }
}

import FlyingFox

extension WebRoute {
    /// What happens, while it happens.
    static func events(of feed: LiveFeed, seats: StreamSeats) -> WebRoute {
        WebRoute(.GET, "/api/v1/events", .reading) { _ in
            guard let seat = seats.take() else { throw WebProblem(503, "Too many pages are open already.") }
            var headers = HTTPHeaders()
            headers[.contentType] = "text/event-stream"
            return HTTPResponse(
                statusCode: .ok, headers: headers, body: HTTPBodySequence(from: EventStream(feed: feed, seat: seat)))
        }
    }
}

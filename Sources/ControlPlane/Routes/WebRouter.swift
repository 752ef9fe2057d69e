public import FlyingFox
public import Foundation
import Text

/// Leads requests to routes, past the rules of who may ask. Rooms that have pages of their own add their routes here.
public struct WebRouter: WebSite {
    public let rules: AccessRules
    private var routes: [WebRoute]

    public init(_ rules: AccessRules, _ routes: [WebRoute] = []) {
        self.rules = rules
        self.routes = routes
    }

    /// Of two routes for one path the first counts.
    public mutating func add(_ more: [WebRoute]) { routes += more }

    public func refusal(of head: HTTPRequest) -> HTTPResponse? {
        // What is not there needs the token, too: nobody else learns what is.
        let access = route(for: head)?.route.access ?? .reading
        if isStart(head) { return start(head) }
        return rules.refusal(of: head, for: access).map { SecurityHeaders.added(to: $0.response) }
    }

    public func answer(_ request: HTTPRequest, body: Data) async -> HTTPResponse {
        SecurityHeaders.added(to: await unguardedAnswer(request, body: body))
    }

    private func unguardedAnswer(_ request: HTTPRequest, body: Data) async -> HTTPResponse {
        guard let (route, parameters) = route(for: request) else {
            let parts = request.target.path().split(separator: "/")
            let isThere = routes.contains { $0.parameters(of: parts) != nil }
            let problem =
                isThere ? WebProblem(405, "This can not be asked that way.") : WebProblem(404, "Nothing is here.")
            return problem.response
        }
        do {
            return try await route.handler(WebCall(request: request, body: body, parameters: parameters))
        } catch let problem as WebProblem {
            return problem.response
        } catch {
            return WebProblem(500, "\(error)".printable).response
        }
    }

    private func route(for request: HTTPRequest) -> (route: WebRoute, parameters: [String: String])? {
        let parts = request.target.path().split(separator: "/")
        let method = request.method == .HEAD ? HTTPMethod.GET : request.method
        for route in routes where route.method == method {
            if let parameters = route.parameters(of: parts) { return (route, parameters) }
        }
        return nil
    }

    // MARK: - The start

    /// The address of the start line: `/?token=...`. It may be followed from anywhere, since it proves itself.
    private func isStart(_ request: HTTPRequest) -> Bool {
        request.method == .GET && request.target.path() == "/" && request.query["token"] != nil
    }

    /// Trades the token for a cookie, and takes it out of the browser's address line and history.
    private func start(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = rules.refusal(of: request, for: .anyone) {
            return SecurityHeaders.added(to: refusal.response)
        }
        guard let given = request.query["token"], rules.token.matches(given) else {
            let problem = WebProblem(401, "This token is of another start: open the address that atsgate printed last.")
            return SecurityHeaders.added(to: problem.response)
        }
        var headers = HTTPHeaders()
        headers[.location] = "/"
        headers[.setCookie] = rules.setCookie
        return SecurityHeaders.added(to: HTTPResponse(statusCode: .seeOther, headers: headers))
    }
}

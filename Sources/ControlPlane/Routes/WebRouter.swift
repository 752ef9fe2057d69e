import Foundation
public import HTTPWire
import Text

/// Dispatches requests to routes after checking the access rules. Other targets add routes for their own pages.
public struct WebRouter: Sendable {
    public let rules: AccessRules
    private var routes: [WebRoute]
    /// True if a token is required, even to learn which routes exist.
    private let needsToken: Bool

    public init(_ rules: AccessRules, _ routes: [WebRoute] = []) {
        self.rules = rules
        self.routes = routes
        needsToken = true
    }

    /// Creates a router whose routes all work without a token.
    init(withoutToken rules: AccessRules, _ routes: [WebRoute]) {
        self.rules = rules
        self.routes = routes
        needsToken = false
    }

    /// Adds routes. If two routes match, the first one wins.
    public mutating func add(_ more: [WebRoute]) { routes += more }

    /// The result of dispatching a request.
    enum Destination {
        /// An answer that needs only the head; the body is not read.
        case refused(WebAnswer)
        case called(WebCall)
    }

    func dispatch(_ request: WebRequest) -> Destination {
        if let refusal = refusal(of: request) { return .refused(refusal) }
        if let call = call(request) { return .called(call) }
        let parts = request.path.split(separator: "/")
        let methods = routes.filter { $0.parameters(of: parts) != nil }.map(\.method.name)
        guard !methods.isEmpty else { return .refused(WebProblem(404, "Not found.").answer) }
        var answer = WebProblem(405, "This method is not allowed here.").answer
        // RFC 9110 section 15.5.6.
        let allowed = Set(methods + (methods.contains("GET") ? ["HEAD"] : []))
        answer.fields.append("Allow", allowed.sorted().joined(separator: ", "))
        return .refused(answer)
    }

    /// Returns the refusal of a request, based on its head alone; nil if it is allowed.
    public func refusal(of request: WebRequest) -> WebAnswer? {
        if needsToken, isStart(request) { return start(request) }
        // Unknown paths also need the token, so that only its holders learn which routes exist.
        let access = route(for: request)?.route.access ?? (needsToken ? .reading : .anyone)
        return rules.refusal(of: request, for: access).map { answer($0, to: request) }
    }

    /// JSON for scripts; a page that explains how to get in for a browser without the token.
    private func answer(_ problem: WebProblem, to request: WebRequest) -> WebAnswer {
        problem.status == 401 && request.wantsPage ? .noToken(problem.sentence) : problem.answer
    }

    private func call(_ request: WebRequest) -> WebCall? {
        route(for: request).map { WebCall(request, for: $0.route, $0.parameters) }
    }

    private func route(for request: WebRequest) -> (route: WebRoute, parameters: [String: String])? {
        let parts = request.path.split(separator: "/")
        for route in routes where route.method == request.method {
            if let parameters = route.parameters(of: parts) { return (route, parameters) }
        }
        return nil
    }

    // MARK: - The start

    /// True for the address in the start line, `/?token=...`. Any site may link to it, since it carries the token.
    private func isStart(_ request: WebRequest) -> Bool {
        request.head.method == .get && request.path == "/" && request.query("token") != nil
    }

    /// Exchanges the token for a cookie, which removes it from the browser's address bar and history.
    private func start(_ request: WebRequest) -> WebAnswer {
        if let refusal = rules.refusal(of: request, for: .anyone) { return refusal.answer }
        guard let given = request.query("token"), rules.token.matches(given) else {
            let sentence = "This token is from an earlier start. Open the address that atsgate printed last."
            return answer(WebProblem(401, sentence), to: request)
        }
        let rest = request.query(without: "token")
        var answer = WebAnswer(nil, [], status: 303)
        answer.fields.append(.location, rest.isEmpty ? "/" : "/?\(rest)")
        answer.fields.append(.setCookie, rules.setCookie)
        return answer
    }
}

/// A method and a path, with the code that answers them.
public struct WebRoute: Sendable {
    /// The access that a route requires.
    public enum Access: Sendable, Hashable {
        /// Anyone who reaches the page, by any of the gate's names: for a phone that is not set up.
        case anyone
        /// Clients with the token; the route changes nothing.
        case reading
        /// Clients with the token on this machine, or on any machine that may make changes.
        case changing
    }

    public typealias Handler = @Sendable (WebCall) throws -> WebAnswer

    let method: HTTPWire.Method
    /// The parts of the path; one that begins with a colon matches any part.
    let parts: [Substring]
    public let access: Access
    let isQuick: Bool
    let handler: Handler

    /// - Parameters:
    ///   - path: as in `/api/v1/records/:id`.
    ///   - isQuick: true if the handler runs on the page's event loop and must not block. All other handlers run off
    ///     the loop: reads a few at a time, changes one after the other.
    ///   - handler: throws ``WebProblem`` for a client's mistake; any other error is a 500.
    public init(
        _ method: HTTPWire.Method, _ path: String, _ access: Access, isQuick: Bool = false, _ handler: @escaping Handler
    ) {
        self.method = method
        parts = path.split(separator: "/")
        self.access = access
        self.isQuick = isQuick
        self.handler = handler
    }

    /// Returns the values of the parts that begin with a colon, by name; nil if `path` does not match.
    func parameters(of path: [Substring]) -> [String: String]? {
        guard path.count == parts.count else { return nil }
        var found: [String: String] = [:]
        for (part, given) in zip(parts, path) {
            if part.hasPrefix(":") {
                found[String(part.dropFirst())] = given.removingPercentEncoding ?? String(given)
            } else if part != given {
                return nil
            }
        }
        return found
    }
}

/// A request for a route.
public struct WebCall: Sendable {
    public let request: WebRequest
    /// The values of the route's parts that begin with a colon, by name.
    public let parameters: [String: String]
    public internal(set) var body: [UInt8] = []
    private let route: WebRoute

    init(_ request: WebRequest, for route: WebRoute, _ parameters: [String: String]) {
        self.request = request
        self.route = route
        self.parameters = parameters
    }

    /// Returns a member of the query; nil if it is missing or empty.
    public func query(_ name: String) -> String? {
        request.query(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    var isQuick: Bool { route.isQuick }
    var access: WebRoute.Access { route.access }

    /// Runs the route's handler. Blocks, unless it ``isQuick``.
    func answer() -> WebAnswer {
        do {
            return try route.handler(self)
        } catch let problem as WebProblem {
            return problem.answer
        } catch {
            return WebProblem(500, "\(error)".printable).answer
        }
    }
}

extension WebRoute {
    /// Confirms that the server is running, without details.
    public static let health = WebRoute(.get, "/api/v1/health", .anyone, isQuick: true) { _ in
        .json(.object([("status", .string("ok"))]))
    }
}

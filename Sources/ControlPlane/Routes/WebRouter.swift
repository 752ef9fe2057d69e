import HTTPWire

/// Leads requests to routes, past the rules of who may ask. Rooms that have pages of their own add their routes here.
public struct WebRouter: Sendable {
    public let rules: AccessRules
    private var routes: [WebRoute]
    /// A token opens it; without one nobody learns what is there.
    private let needsToken: Bool

    public init(_ rules: AccessRules, _ routes: [WebRoute] = []) {
        self.rules = rules
        self.routes = routes
        needsToken = true
    }

    /// Where all that there is needs no token.
    init(withoutToken rules: AccessRules, _ routes: [WebRoute]) {
        self.rules = rules
        self.routes = routes
        needsToken = false
    }

    /// Of two routes for one path the first counts.
    public mutating func add(_ more: [WebRoute]) { routes += more }

    /// Where a request leads.
    enum Destination {
        /// To an answer that its head alone is enough for; its body is not read.
        case refused(WebAnswer)
        case called(WebCall)
    }

    func lead(_ request: WebRequest) -> Destination {
        if let refusal = refusal(of: request) { return .refused(refusal) }
        if let call = call(request) { return .called(call) }
        let parts = request.path.split(separator: "/")
        let methods = routes.filter { $0.parameters(of: parts) != nil }.map(\.method.name)
        guard !methods.isEmpty else { return .refused(WebProblem(404, "Nothing is here.").answer) }
        var answer = WebProblem(405, "This can not be asked that way.").answer
        // RFC 9110 section 15.5.6.
        let allowed = Set(methods + (methods.contains("GET") ? ["HEAD"] : []))
        answer.fields.append("Allow", allowed.sorted().joined(separator: ", "))
        return .refused(answer)
    }

    /// Why the sender of a request does not get what it asks for, told by its head alone; nil for one that is welcome.
    public func refusal(of request: WebRequest) -> WebAnswer? {
        if needsToken, isStart(request) { return start(request) }
        // What is not there needs the token, too: nobody else learns what is.
        let access = route(for: request)?.route.access ?? (needsToken ? .reading : .anyone)
        return rules.refusal(of: request, for: access).map { answer($0, to: request) }
    }

    /// In JSON for scripts; who came by a browser and has no token is told how to come in.
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

    /// The address of the start line: `/?token=...`. It may be followed from anywhere, since it proves itself.
    private func isStart(_ request: WebRequest) -> Bool {
        request.head.method == .get && request.path == "/" && request.query("token") != nil
    }

    /// Trades the token for a cookie, and takes it out of the browser's address line and history.
    private func start(_ request: WebRequest) -> WebAnswer {
        if let refusal = rules.refusal(of: request, for: .anyone) { return refusal.answer }
        guard let given = request.query("token"), rules.token.matches(given) else {
            let sentence = "This token is of another start: open the address that atsgate printed last."
            return answer(WebProblem(401, sentence), to: request)
        }
        let rest = request.query(without: "token")
        var answer = WebAnswer(nil, [], status: 303)
        answer.fields.append(.location, rest.isEmpty ? "/" : "/?\(rest)")
        answer.fields.append(.setCookie, rules.setCookie)
        return answer
    }
}

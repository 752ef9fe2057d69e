import ATSPolicy
import Diagnosis
import Foundation
public import HTTPWire
import Records
import Reporting
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

/// Parsing of queries and bodies.
extension WebCall {
    /// Parses `recording host verdict rule app label entrance hello device search since until`, like the options of `report`.
    /// Lists are separated by commas.
    ///
    /// - Parameter others: the names of the call's own query members.
    func filter(and others: String...) throws(WebProblem) -> RecordFilter {
        try checkQuery(Self.filters + others)
        var filter = RecordFilter()
        filter.recordings = list("recording")
        filter.hosts = try Self.hosts(list("host"))
        filter.rules = list("rule").map { Glob($0) }
        filter.apps = list("app").map { Glob($0) }
        filter.labels = Set(list("label"))
        filter.devices = Set(list("device"))
        filter.search = LoadSearch(query("search") ?? "")
        filter.verdicts = try words("verdict")
        filter.entrances = try words("entrance")
        filter.hellos = try words("hello")
        filter.since = try Self.time(query("since"), "since")
        filter.until = try Self.time(query("until"), "until")
        return filter
    }

    /// - Throws: ``WebProblem`` with 400 for text that cannot be a host.
    static func hosts(_ texts: [String]) throws(WebProblem) -> [Glob] {
        var globs: [Glob] = []
        for text in texts {
            do throws(WrittenHostFault) { globs += try WrittenHost(text).globs } catch {
                throw WebProblem(400, "host: \(error)")
            }
        }
        return globs
    }

    private static let filters = [
        "recording", "host", "verdict", "rule", "app", "label", "entrance", "hello", "device", "search", "since",
        "until",
    ]

    /// Rejects unknown query members, because ignoring a filter would widen the answer.
    ///
    /// - Throws: ``WebProblem`` with 400 that names the member.
    func checkQuery(_ known: [String]) throws(WebProblem) {
        try Self.check(request.queryNames.filter { !$0.isEmpty }, "member of the query", known)
    }

    private static func check(_ names: [String], _ what: String, _ known: [String]) throws(WebProblem) {
        guard let unknown = names.first(where: { !known.contains($0) }) else { return }
        throw WebProblem(400, "\"\(unknown.printable)\" is not a \(what); use \(known.joined(separator: ", "))")
    }

    /// A list of words from a fixed set.
    private func words<Word: RawRepresentable<String> & CaseIterable & Hashable>(
        _ name: String
    ) throws(WebProblem) -> Set<Word> {
        var words: Set<Word> = []
        for text in list(name) {
            guard let word = Word(rawValue: text) else {
                throw WebProblem(400, "\(name): use any of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            words.insert(word)
        }
        return words
    }

    private func list(_ name: String) -> [String] {
        (query(name) ?? "").split(separator: ",").map(String.init)
    }

    /// An integer of the query.
    func number(_ name: String, in range: ClosedRange<Int>, usual: Int) throws(WebProblem) -> Int {
        guard let text = query(name) else { return usual }
        guard let number = Int(text), range.contains(number) else {
            throw WebProblem(400, "\(name): use a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The body as JSON.
    ///
    /// - Parameters:
    ///   - shape: an example for the error message, such as `{"name": "..."}`.
    ///   - members: the names of all allowed members.
    func decoded<Value: Decodable>(
        _ type: Value.Type, shape: String, members: [String]
    ) throws(WebProblem) -> Value {
        let (value, names): (Value, [String])
        do {
            value = try JSONDecoder().decode(type, from: Data(body))
            names = try JSONDecoder().decode([String: AnyMember].self, from: Data(body)).keys.sorted()
        } catch {
            throw WebProblem(400, "The body must be JSON like \(shape)")
        }
        try Self.check(names, "member of the body", members)
        return value
    }

    /// Parses ISO 8601, or milliseconds since 1970-01-01 UTC as in records.
    static func time(_ text: String?, _ name: String) throws(WebProblem) -> Int64? {
        guard let text else { return nil }
        if let number = Int64(text) { return number }
        for style in [
            Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle(),
        ] {
            if let date = try? style.parse(text) { return Int64(date.timeIntervalSince1970 * 1000) }
        }
        throw WebProblem(400, "\(name): use a time like 2026-02-03T04:05:06Z, or milliseconds since 1970")
    }

    /// - Parameter name: a value of `--os`.
    static func profile(_ name: String) throws(WebProblem) -> OSProfile {
        guard let profile = OSProfile.named(name) else {
            throw WebProblem(
                400, "\"\(name)\" is not a known release; use \(OSProfile.all.map(\.name).joined(separator: ", "))")
        }
        return profile
    }
}

/// A member whose value is ignored.
private struct AnyMember: Decodable {
    init(from decoder: any Decoder) {}
}

import Foundation
public import HTTPWire
import Text

/// One thing that can be asked for.
public struct WebRoute: Sendable {
    /// Who may ask.
    public enum Access: Sendable, Hashable {
        /// Whoever reaches the page, by any name of the gate's: what a phone without anything needs.
        case anyone
        /// Whoever has the token; nothing changes by it.
        case reading
        /// Whoever has the token and sits at this machine, or may change things from another.
        case changing
    }

    public typealias Handler = @Sendable (WebCall) throws -> WebAnswer

    let method: HTTPWire.Method
    /// Parts of the path; one that begins with a colon stands for any.
    let parts: [Substring]
    public let access: Access
    let isQuick: Bool
    let handler: Handler

    /// - Parameters:
    ///   - path: as in `/api/v1/records/:id`.
    ///   - isQuick: it is answered at once on the page's event loop, and must not block. Everything else is answered
    ///     aside: a few questions at a time, and changes one after the other.
    ///   - handler: throws ``WebProblem`` for what the asker got wrong; anything else is a 500.
    public init(
        _ method: HTTPWire.Method, _ path: String, _ access: Access, isQuick: Bool = false, _ handler: @escaping Handler
    ) {
        self.method = method
        parts = path.split(separator: "/")
        self.access = access
        self.isQuick = isQuick
        self.handler = handler
    }

    /// What the parts of `path` stand for; nil where it is another path.
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
    /// What stands for the parts of the route that begin with a colon, by name.
    public let parameters: [String: String]
    public internal(set) var body: [UInt8] = []
    private let route: WebRoute

    init(_ request: WebRequest, for route: WebRoute, _ parameters: [String: String]) {
        self.request = request
        self.route = route
        self.parameters = parameters
    }

    /// A member of the query; nil where it is not there or empty.
    public func query(_ name: String) -> String? {
        request.query(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    var isQuick: Bool { route.isQuick }
    var access: WebRoute.Access { route.access }

    /// Blocks, unless it ``isQuick``.
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

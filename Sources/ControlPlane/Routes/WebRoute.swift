import Foundation
public import HTTPWire
import Text

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

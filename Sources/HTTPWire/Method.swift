/// A request method: a token, case kept (RFC 9110 section 9.1).
public struct Method: Sendable, Hashable {
    public let name: String

    /// nil if `name` is not a token.
    public init?(_ name: String) {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else { return nil }
        self.name = name
    }

    init(checked name: String) { self.name = name }

    public static var get: Method { Method(checked: "GET") }
    public static var head: Method { Method(checked: "HEAD") }
    public static var post: Method { Method(checked: "POST") }
    public static var put: Method { Method(checked: "PUT") }
    public static var delete: Method { Method(checked: "DELETE") }
    public static var connect: Method { Method(checked: "CONNECT") }
    public static var options: Method { Method(checked: "OPTIONS") }
    public static var patch: Method { Method(checked: "PATCH") }
    public static var trace: Method { Method(checked: "TRACE") }

    /// True if sending it twice has the same effect as once (RFC 9110 section 9.2.2).
    public var isIdempotent: Bool {
        switch name {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }
}

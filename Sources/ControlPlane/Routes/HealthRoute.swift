import HTTPWire
import Text

extension WebRoute {
    /// Whether it is there; says nothing of what it does.
    public static let health = WebRoute(.get, "/api/v1/health", .anyone, isQuick: true) { _ in
        .json(.object([("status", .string("ok"))]))
    }
}

import FlyingFox
import Text

extension WebRoute {
    /// Whether it is there; says nothing of what it does.
    public static let health = WebRoute(.GET, "/api/v1/health", .anyone) { _ in
        .json(.object([("status", .string("ok"))]))
    }
}

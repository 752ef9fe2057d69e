import HTTPWire
import Text

extension WebRoute {
    /// Confirms that the server is running, without details.
    public static let health = WebRoute(.get, "/api/v1/health", .anyone, isQuick: true) { _ in
        .json(.object([("status", .string("ok"))]))
    }
}

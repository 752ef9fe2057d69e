/// One load of an app: a GET with a User-Agent.
public struct LabLoad: Sendable, Hashable {
    public var isSecure: Bool
    public var host: String
    /// Path and query.
    public var path: String
    public var userAgent: String

    public init(isSecure: Bool, host: String, path: String, userAgent: String) {
        self.isSecure = isSecure
        self.host = host
        self.path = path
        self.userAgent = userAgent
    }

    /// How a load ended for the app.
    public enum Outcome: Sendable, Hashable {
        /// A response of the origin, or of the proxy instead.
        case answered(status: Int)
        /// TLS was established, but the app does not trust the certificate.
        case untrusted
        /// No response came; with the reason in words.
        case broken(String)
    }

    var authority: String { "\(host):\(isSecure ? 443 : 80)" }

    /// The head of a CONNECT (RFC 9110 section 9.3.6).
    var opening: String {
        "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\nUser-Agent: \(userAgent)\r\n\r\n"
    }

    /// The head of the request: with an absolute URL for a proxy, or with the path alone inside a tunnel (RFC 9112
    /// section 3.2).
    var request: String {
        "GET \(isSecure ? "" : "http://\(host)")\(path) HTTP/1.1\r\nHost: \(host)\r\n"
            + "User-Agent: \(userAgent)\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    }
}

/// One load of an app: a GET, and who it says it is.
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

    /// What the app saw of it.
    public enum Outcome: Sendable, Hashable {
        /// An answer of the origin, or of the proxy in its place.
        case answered(status: Int)
        /// TLS was up, and the certificate was one that the app does not believe.
        case disbelieved
        /// No answer came: why, in words.
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

/// The target of a request, in one of the four forms of RFC 9112 section 3.2.
public enum RequestTarget: Sendable, Hashable {
    /// An absolute URL, as clients send to a proxy.
    case absolute(AbsoluteTarget)
    /// Only with CONNECT. `host` is lower-case and without brackets.
    case authority(host: String, port: Int)
    /// Path and query, beginning with a slash.
    case path(String)
    /// Only with OPTIONS: `*`.
    case asterisk
}

/// A URL as a request target.
public struct AbsoluteTarget: Sendable, Hashable {
    /// Lower-case, for example `http`.
    public var scheme: String
    /// Lower-case; an IPv6 address has no brackets.
    public var host: String
    /// As written, 1 to 65535; nil if left out.
    public var port: Int?
    /// Path and query, at least `/`. `*` for OPTIONS on a URL without a path (RFC 9112 section 3.2.4).
    public var path: String

    public init(scheme: String, host: String, port: Int?, path: String) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }
}

/// How a body ends (RFC 9112 section 6.3).
public enum BodyFraming: Sendable, Hashable {
    /// No body, and no framing field.
    case none
    /// A body of this many bytes; `fixed(0)` if Content-Length is zero.
    case fixed(Int64)
    case chunked
    /// Only in responses: the body lasts until the connection ends.
    case untilClose
}

/// The head of a request.
public struct RequestHead: Sendable {
    public var method: Method
    public var target: RequestTarget
    /// 0 or 1.
    public var minorVersion: UInt8
    public var fields: FieldBlock
    public var framing: BodyFraming
    /// True if the sender allows another message on the connection. Always false for HTTP/1.0, as RFC 9112 section 9.3
    /// requires of a proxy.
    public var isPersistent: Bool
    /// True if the sender waits for `100 Continue` before it sends the body (RFC 9110 section 10.1.1).
    public var expectsContinue: Bool
    /// True if the message came over HTTP/2; Via reports that to the next hop.
    public var isFromHTTP2 = false
}

extension RequestHead {
    public init(
        method: Method, target: RequestTarget, fields: FieldBlock = FieldBlock(), framing: BodyFraming = .none
    ) {
        self.init(
            method: method, target: target, minorVersion: 1, fields: fields, framing: framing, isPersistent: true,
            expectsContinue: false)
    }
}

/// The head of a response.
public struct ResponseHead: Sendable {
    /// Three digits, 100 to 999.
    public var status: Int
    /// May be empty. Invalid UTF-8 becomes U+FFFD.
    public var reason: String
    /// 0 or 1.
    public var minorVersion: UInt8
    public var fields: FieldBlock
    public var framing: BodyFraming
    /// True if the sender allows another message on the connection; always false for a body that ends with the
    /// connection.
    public var isPersistent: Bool
    /// True if the message came over HTTP/2; Via reports that to the next hop.
    public var isFromHTTP2 = false
}

extension ResponseHead {
    public init(status: Int, reason: String, fields: FieldBlock = FieldBlock(), framing: BodyFraming = .fixed(0)) {
        self.init(
            status: status, reason: reason, minorVersion: 1, fields: fields, framing: framing,
            isPersistent: framing != .untilClose)
    }

    /// True for 1xx except 101: another head follows for the same request (RFC 9110 section 15.2).
    public var isInterim: Bool { status < 200 && status != 101 }
}

extension RequestHead {
    /// The version for Via.
    public var receivedVersion: StaticString { viaVersion(isFromHTTP2, minorVersion) }
}

extension ResponseHead {
    /// The version for Via.
    public var receivedVersion: StaticString { viaVersion(isFromHTTP2, minorVersion) }
}

/// RFC 9110 section 7.6.3. HTTP/2 has no minor version, and Via needs none: section 2.5 requires a 0 only in places
/// that must have one.
private func viaVersion(_ isFromHTTP2: Bool, _ minorVersion: UInt8) -> StaticString {
    isFromHTTP2 ? "2" : minorVersion == 0 ? "1.0" : "1.1"
}

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

/// The reason phrases of all responses that atsgate makes itself. Phrases are for people; readers use the number (RFC
/// 9112 section 4).
public enum ReasonPhrase {
    /// Returns the phrase; empty for an unregistered status.
    public static func of(_ status: Int) -> StaticString { phrases[status] ?? "" }

    /// Source: IANA, HTTP Status Code Registry, without unused and WebDAV codes; RFC 9110 section 15.
    private static let phrases: [Int: StaticString] = [
        100: "Continue", 101: "Switching Protocols",
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
        205: "Reset Content", 206: "Partial Content",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout",
        409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        421: "Misdirected Request", 422: "Unprocessable Content", 425: "Too Early", 426: "Upgrade Required",
        428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
        451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage", 508: "Loop Detected",
        511: "Network Authentication Required",
    ]
}

extension RequestHead {
    /// True if the request must not be forwarded: it is TRACE or OPTIONS with `Max-Forwards: 0`, and the recipient must
    /// answer it. Source: RFC 9110 section 7.6.2.
    public var hasNoForwardsLeft: Bool { forwardsLeft == 0 }

    /// Decrements Max-Forwards in TRACE and OPTIONS. Source: RFC 9110 section 7.6.2.
    public mutating func countForward() {
        guard let left = forwardsLeft, left > 0 else { return }
        fields.set(.maxForwards, String(left - 1))
    }

    /// The number in Max-Forwards, at most ``mostForwards``, as the section allows. nil without a decimal number, and
    /// for other methods, where the field has no meaning.
    private var forwardsLeft: Int? {
        guard method == .trace || method == .options, let text = fields.value(of: .maxForwards), !text.isEmpty,
            text.utf8.allSatisfy({ decimalValue($0) != nil })
        else { return nil }
        return min(Int(text) ?? Self.mostForwards, Self.mostForwards)
    }

    /// Ends loops: no IP packet makes more hops (RFC 791 section 3.1).
    private static let mostForwards = 255

    /// The protocols that the sender offers to change to; empty if it offers none, or in a way that does not count:
    /// Connection must name Upgrade, and HTTP/1.0 has no upgrades. Source: RFC 9110 section 7.8.
    public var upgradeProtocols: [String] { minorVersion >= 1 ? fields.upgradeProtocols : [] }
}

extension FieldBlock {
    /// The protocols in Upgrade, in lower case and without their versions; empty if Connection does not name Upgrade.
    public var upgradeProtocols: [String] {
        guard contains(.upgrade), hasOption("upgrade") else { return [] }
        return values(of: .upgrade).flatMap { $0.split(separator: ",") }.map { member in
            let name = member.prefix { $0 != "/" }
            return String(name).filter { $0 != " " && $0 != "\t" }.lowercased()
        }
    }
}

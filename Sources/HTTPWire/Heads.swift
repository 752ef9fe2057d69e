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

    public init(
        method: Method, target: RequestTarget, fields: FieldBlock = FieldBlock(), framing: BodyFraming = .none
    ) {
        self.init(
            method: method, target: target, minorVersion: 1, fields: fields, framing: framing, isPersistent: true,
            expectsContinue: false)
    }

    init(
        method: Method, target: RequestTarget, minorVersion: UInt8, fields: FieldBlock, framing: BodyFraming,
        isPersistent: Bool, expectsContinue: Bool
    ) {
        self.method = method
        self.target = target
        self.minorVersion = minorVersion
        self.fields = fields
        self.framing = framing
        self.isPersistent = isPersistent
        self.expectsContinue = expectsContinue
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

    public init(status: Int, reason: String, fields: FieldBlock = FieldBlock(), framing: BodyFraming = .fixed(0)) {
        self.init(
            status: status, reason: reason, minorVersion: 1, fields: fields, framing: framing,
            isPersistent: framing != .untilClose)
    }

    init(
        status: Int, reason: String, minorVersion: UInt8, fields: FieldBlock, framing: BodyFraming, isPersistent: Bool
    ) {
        self.status = status
        self.reason = reason
        self.minorVersion = minorVersion
        self.fields = fields
        self.framing = framing
        self.isPersistent = isPersistent
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

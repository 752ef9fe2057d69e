/// A field that the gate uses. All other fields are forwarded by name.
public enum KnownField: UInt8, Sendable, Hashable, CaseIterable {
    case host
    case contentLength
    case transferEncoding
    case connection
    case proxyConnection
    case keepAlive
    case te
    case trailer
    case upgrade
    case via
    case expect
    case userAgent
    case proxyAuthorization
    case proxyAuthenticate
    case proxyAuthenticationInfo
    case http2Settings
    case accept
    case acceptEncoding
    case acceptLanguage
    case authorization
    case cacheControl
    case contentEncoding
    case contentType
    case cookie
    case date
    case eTag
    case expires
    case forwarded
    case lastModified
    case location
    case maxForwards
    case origin
    case range
    case referer
    case server
    case setCookie
    case strictTransportSecurity
    case vary
    case wwwAuthenticate
    case xForwardedFor
    case altSvc
    case secWebSocketKey
    case secWebSocketAccept
    case secWebSocketVersion
    case secWebSocketProtocol
    case secWebSocketExtensions

    /// The usual spelling of the name.
    public var name: StaticString {
        switch self {
        case .host: "Host"
        case .contentLength: "Content-Length"
        case .transferEncoding: "Transfer-Encoding"
        case .connection: "Connection"
        case .proxyConnection: "Proxy-Connection"
        case .keepAlive: "Keep-Alive"
        case .te: "TE"
        case .trailer: "Trailer"
        case .upgrade: "Upgrade"
        case .via: "Via"
        case .expect: "Expect"
        case .userAgent: "User-Agent"
        case .proxyAuthorization: "Proxy-Authorization"
        case .proxyAuthenticate: "Proxy-Authenticate"
        case .proxyAuthenticationInfo: "Proxy-Authentication-Info"
        case .http2Settings: "HTTP2-Settings"
        case .accept: "Accept"
        case .acceptEncoding: "Accept-Encoding"
        case .acceptLanguage: "Accept-Language"
        case .authorization: "Authorization"
        case .cacheControl: "Cache-Control"
        case .contentEncoding: "Content-Encoding"
        case .contentType: "Content-Type"
        case .cookie: "Cookie"
        case .date: "Date"
        case .eTag: "ETag"
        case .expires: "Expires"
        case .forwarded: "Forwarded"
        case .lastModified: "Last-Modified"
        case .location: "Location"
        case .maxForwards: "Max-Forwards"
        case .origin: "Origin"
        case .range: "Range"
        case .referer: "Referer"
        case .server: "Server"
        case .setCookie: "Set-Cookie"
        case .strictTransportSecurity: "Strict-Transport-Security"
        case .vary: "Vary"
        case .wwwAuthenticate: "WWW-Authenticate"
        case .xForwardedFor: "X-Forwarded-For"
        case .altSvc: "Alt-Svc"
        case .secWebSocketKey: "Sec-WebSocket-Key"
        case .secWebSocketAccept: "Sec-WebSocket-Accept"
        case .secWebSocketVersion: "Sec-WebSocket-Version"
        case .secWebSocketProtocol: "Sec-WebSocket-Protocol"
        case .secWebSocketExtensions: "Sec-WebSocket-Extensions"
        }
    }

    /// One bit per field, by which blocks remember their fields.
    var bit: UInt64 { 1 &<< UInt64(rawValue) }
}

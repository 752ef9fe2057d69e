import Foundation
import Text

/// The proxy that the gate connects through. Its descriptions never contain the credentials.
public struct ParentProxy: Sendable, Hashable {
    public let host: String
    public let port: Int
    /// The value of Proxy-Authorization; nil without credentials.
    public let authorization: String?

    /// - Parameters:
    ///   - user: nil for a proxy without credentials. Must not contain a colon, which ends it (RFC 7617 section 2).
    public init(host: String, port: Int, user: String? = nil, password: String = "") {
        self.host = host.lowercased()
        self.port = port
        authorization = user.map { "Basic " + Data("\($0):\(password)".utf8).base64EncodedString() }
    }

    /// `HOST:PORT`, an IPv6 address in brackets, as in records.
    public var name: String { Authority(host: host, port: port).description }
}

extension ParentProxy: CustomStringConvertible, CustomDebugStringConvertible {
    /// Its URL, with the credentials masked.
    public var description: String { "http://\(authorization == nil ? "" : "***@")\(name)" }
    public var debugDescription: String { description }
}

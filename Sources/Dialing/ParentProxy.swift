import Foundation
import Text

/// The proxy that the gate itself goes through. Its credentials are in no description of it.
public struct ParentProxy: Sendable, Hashable {
    public let host: String
    public let port: Int
    /// The value of Proxy-Authorization; nil without credentials.
    public let authorization: String?

    /// - Parameters:
    ///   - user: nil for a proxy that wants no credentials; without a colon, which would end it (RFC 7617 section 2).
    public init(host: String, port: Int, user: String? = nil, password: String = "") {
        self.host = host.lowercased()
        self.port = port
        authorization = user.map { "Basic " + Data("\($0):\(password)".utf8).base64EncodedString() }
    }

    /// `HOST:PORT`, an IPv6 address in brackets: how records name it.
    public var name: String { Authority(host: host, port: port).description }
}

extension ParentProxy: CustomStringConvertible, CustomDebugStringConvertible {
    /// Its URL, with the credentials masked.
    public var description: String { "http://\(authorization == nil ? "" : "***@")\(name)" }
    public var debugDescription: String { description }
}

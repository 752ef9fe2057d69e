/// A host with an optional port: `example.com`, `example.com:443`, `[2001:db8::1]:443`.
public struct Authority: Sendable, Hashable {
    /// The host as written; an IPv6 address without brackets.
    public var host: String
    public var port: Int?

    public init(host: String, port: Int?) {
        self.host = host
        self.port = port
    }

    /// Reads text that is exactly an authority.
    ///
    /// - Throws: the first error, with its byte offset.
    public init(_ text: Substring, zone: AuthorityScan.Zone = .refused) throws(AuthorityFault) {
        var text = String(text)
        let scan = text.withUTF8 { bytes in
            Result { () throws(AuthorityFault) in
                try AuthorityScan(whole: UnsafeRawBufferPointer(bytes), zone: zone)
            }
        }
        let place = try scan.get()
        host = String(Substring(text.utf8.prefix(place.host.upperBound).dropFirst(place.host.lowerBound)))
        port = place.port
    }
}

extension Authority {
    /// The address at which this machine reaches the listener: the loopback address if it listens on all addresses.
    public var reachable: Authority {
        switch IPAddress(host) {
        case .v4(0): Authority(host: "127.0.0.1", port: port)
        case .v6(0): Authority(host: "::1", port: port)
        default: self
        }
    }
}

extension Authority: CustomStringConvertible {
    /// `HOST` or `HOST:PORT`, with an IPv6 address in brackets.
    public var description: String {
        let name = Self.bracketed(host)
        return port.map { "\(name):\($0)" } ?? name
    }

    /// Returns the host as in a URL: an IPv6 address in brackets (RFC 3986 section 3.2.2).
    public static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    }
}

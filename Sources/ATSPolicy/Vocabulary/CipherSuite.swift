/// A cipher suite by its IANA number and name.
public struct CipherSuite: Sendable {
    /// Two bytes on the wire, for example 0xC02B.
    public let code: UInt16
    /// IANA name, for example `TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256`.
    public let name: String

    public init(code: UInt16, name: String) {
        self.code = code
        self.name = name
    }

    /// The key exchange, read from the IANA name.
    public enum KeyExchange: Sendable, Hashable {
        /// A TLS 1.3 suite: the key exchange is always ephemeral and named elsewhere.
        case tls13
        case ecdhe, dhe, rsa, other
    }

    public var keyExchange: KeyExchange {
        guard name.utf8.count > 0, let with = name.range(ofASCII: "_WITH_") else { return .tls13 }
        let exchange = name[..<with]
        if exchange.hasPrefix("TLS_ECDHE_") { return .ecdhe }
        if exchange.hasPrefix("TLS_DHE_") { return .dhe }
        return exchange == "TLS_RSA" ? .rsa : .other
    }
}

extension CipherSuite: Hashable {
    public static func == (left: CipherSuite, right: CipherSuite) -> Bool { left.code == right.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension String {
    /// Start of the first occurrence of `needle`, without Foundation.
    fileprivate func range(ofASCII needle: String) -> String.Index? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(needle) { return index }
            index = self.index(after: index)
        }
        return nil
    }
}

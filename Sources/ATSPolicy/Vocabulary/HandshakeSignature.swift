/// The origin's signature in a handshake. Source: RFC 5246 section 7.4.1.4.1, RFC 8446 section 4.2.3.
public struct HandshakeSignature: Sendable, Hashable {
    public enum Scheme: String, Sendable, Hashable {
        case rsaPKCS1 = "rsa_pkcs1"
        case rsaPSS = "rsa_pss"
        case ecdsa, dsa, eddsa, other
    }

    public var scheme: Scheme
    /// Output size of the hash in bits (SHA-1 is 160); nil if the scheme has no separate hash.
    public var hashBits: Int?

    public init(_ scheme: Scheme, hashBits: Int?) {
        self.scheme = scheme
        self.hashBits = hashBits
    }

    /// `rsa_pkcs1_sha1`.
    var isPKCS1WithSHA1: Bool { scheme == .rsaPKCS1 && hashBits == 160 }
}

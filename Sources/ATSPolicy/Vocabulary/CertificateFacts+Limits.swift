/// Limits on what is kept of an origin's certificates, so that a malicious origin cannot fill memory or the store.
extension CertificateFacts {
    /// Names and addresses kept of a certificate, in addition to those for the requested host. Certificates of large
    /// content networks have 100 and more.
    public static let namesKept = 64
    /// Total bytes of these names.
    public static let nameBytesKept = 2_048
    /// Bytes of a subject or an issuer. Those of extended validation have about 300.
    public static let subjectBytes = 320
    /// Bytes of a common name (RFC 5280 appendix A.1, ub-common-name: 64 characters).
    public static let commonNameBytes = 128
    /// Digits of a serial number (RFC 5280 section 4.1.2.2: 20 octets).
    public static let serialDigits = 64
    /// Bytes of a chain that the gate reads. Our choice: BoringSSL, whose fork devices use, and OpenSSL accept 100 KB
    /// by default (SSL_CTX_set_max_cert_list(3)); chains of real origins have 3 to 8.
    public static let longestChain = 32_768

    /// The approximate size in memory.
    public var bytes: Int {
        let texts = [subject, issuer, commonName ?? "", serial, signature, sha256, spkiSHA256]
        return (texts + dnsNames + ipAddresses).reduce(Self.structureBytes) { $0 + $1.utf8.count + Self.textBytes }
    }

    private static let structureBytes = 256
    /// Overhead of a string in addition to its bytes.
    private static let textBytes = 32
}

extension HandshakeFacts {
    /// True if these are the served certificates, compared with the ones that are kept.
    public func hasServed(_ chain: [CertificateFacts]) -> Bool {
        let known = served.map(\.sha256)
        let others = chain.map(\.sha256)
        return unkeptCertificates == nil ? known == others : !known.isEmpty && others.starts(with: known)
    }

    /// The approximate size in memory.
    public var bytes: Int { (served + path + otherPaths.flatMap(\.certificates)).reduce(512) { $0 + $1.bytes } }
}

/// How much is kept of what an origin says of itself: an origin that means harm must not fill memory or store.
extension CertificateFacts {
    /// Names and addresses that are kept of a certificate, besides those for the host that was asked for. Certificates
    /// of large content networks have 100 and more.
    public static let namesKept = 64
    /// Bytes of these.
    public static let nameBytesKept = 2_048
    /// Bytes of a subject or an issuer. Those of extended validation have some 300.
    public static let subjectBytes = 320
    /// Bytes of a common name (RFC 5280 appendix A.1, ub-common-name: 64 characters).
    public static let commonNameBytes = 128
    /// Digits of a serial number (RFC 5280 section 4.1.2.2: 20 octets).
    public static let serialDigits = 64
    /// Bytes of a chain that are read. Ours: BoringSSL, whose fork devices use, and OpenSSL take 100 KB unless told
    /// otherwise (SSL_CTX_set_max_cert_list(3)); chains of real origins have 3 to 8.
    public static let longestChain = 32_768

    /// What it takes in memory, about.
    public var bytes: Int {
        let texts = [subject, issuer, commonName ?? "", serial, signature, sha256, spkiSHA256]
        return (texts + dnsNames + ipAddresses).reduce(Self.structureBytes) { $0 + $1.utf8.count + Self.textBytes }
    }

    private static let structureBytes = 256
    /// A text besides its bytes.
    private static let textBytes = 32
}

extension HandshakeFacts {
    /// Whether these are the certificates that were served, as far as they are kept.
    public func hasServed(_ chain: [CertificateFacts]) -> Bool {
        let known = served.map(\.sha256)
        let others = chain.map(\.sha256)
        return unkeptCertificates == nil ? known == others : !known.isEmpty && others.starts(with: known)
    }

    /// What it takes in memory, about.
    public var bytes: Int { (served + path).reduce(512) { $0 + $1.bytes } }
}

/// What a handshake with an origin showed, as numbers and names; no verdict in it. Filled in by the TLS engine.
public struct HandshakeFacts: Sendable, Hashable {
    public var version: TLSVersion
    public var suite: CipherSuite
    /// Name of the key exchange group, for example `X25519`; nil for static RSA.
    public var group: String?
    /// ALPN protocol that the origin chose.
    public var alpn: String?
    /// Certificates as served, leaf first.
    public var served: [CertificateFacts]
    /// The evaluated path, leaf first, up to and with the anchor when one was found. Times are not checked in it.
    public var path: [CertificateFacts]
    public var anchor: TrustAnchor
    /// Signed certificate timestamps: in the leaf, the TLS extension, and the stapled OCSP response. With a list of
    /// logs only those that count, otherwise all that were seen.
    public var scts: SCTCounts
    /// What a list of logs says about them; nil where there was none.
    public var sctReview: SCTReview?
    /// nil where no OCSP response was stapled.
    public var staple: StapledAnswer?
    /// RFC 7627; nil where it has no meaning, as in TLS 1.3, or was not looked at.
    public var usesExtendedMasterSecret: Bool?
    /// nil when the origin asked for no certificate.
    public var clientCertificate: ClientCertificateUse?
    /// nil where nothing was signed, as with static RSA.
    public var signature: HandshakeSignature?
    /// Certificates that a record does not keep; nil for none.
    public var unkeptCertificates: Int?

    public init(
        version: TLSVersion, suite: CipherSuite, group: String?, alpn: String?, served: [CertificateFacts],
        path: [CertificateFacts], anchor: TrustAnchor, scts: SCTCounts = SCTCounts()
    ) {
        self.version = version
        self.suite = suite
        self.group = group
        self.alpn = alpn
        self.served = served
        self.path = path
        self.anchor = anchor
        self.scts = scts
    }
}

/// What became of an origin's request for a client certificate. Raw values are stored and shown.
public enum ClientCertificateUse: String, Sendable, Hashable {
    /// It was asked for, and none was sent.
    case asked
    case sent
}

/// Where a certificate path ended.
public enum TrustAnchor: String, Sendable, Hashable {
    /// At a root of the platform's bundle or of `--roots`.
    case system
    /// At a root given by `--extra-ca`.
    case user
    /// The leaf signs itself and is not an anchor.
    case selfSignedLeaf = "self-signed-leaf"
    /// The path is complete, but its root is not an anchor.
    case unknownRoot = "unknown-root"
    /// An issuer was neither served nor known.
    case incomplete
    /// A signature in the path does not verify, or the chain is not usable at all.
    case broken
}

public struct SCTCounts: Sendable, Hashable {
    public var embedded = 0
    public var handshake = 0
    public var stapled = 0

    public init(embedded: Int = 0, handshake: Int = 0, stapled: Int = 0) {
        self.embedded = embedded
        self.handshake = handshake
        self.stapled = stapled
    }
}

/// One X.509 certificate, as far as rules and reports care.
public struct CertificateFacts: Sendable, Hashable {
    public enum KeyType: String, Sendable, Hashable {
        case rsa, ec, ed25519, ed448, dsa, other
    }

    /// RFC 2253 text.
    public var subject = ""
    public var issuer = ""
    /// First common name of the subject, for Apple's wording.
    public var commonName: String?
    /// Lower-case hexadecimal.
    public var serial = ""
    public var keyType = KeyType.other
    public var keyBits = 0
    /// For example `sha256WithRSAEncryption`.
    public var signature = ""
    /// Output size of the signature's hash in bits (SHA-1 is 160); nil when the scheme has none of its own (Ed25519).
    public var signatureHashBits: Int?
    /// Seconds since 1970-01-01 UTC.
    public var notBefore: Int64 = 0
    public var notAfter: Int64 = 0
    /// Lower-case hexadecimal of the SHA-256 over the DER certificate.
    public var sha256 = ""
    /// Base64 of the SHA-256 over the SubjectPublicKeyInfo: the form of `SPKI-SHA256-BASE64`.
    public var spkiSHA256 = ""
    public var dnsNames: [String] = []
    /// Text form of iPAddress entries.
    public var ipAddresses: [String] = []
    /// Names and addresses besides those two lists, none of which is for the host that was asked for; nil for none.
    /// See ``namesKept``.
    public var unkeptNames: Int?
    /// True when a subjectAltName extension with a DNS name or an IP address is there.
    public var hasSubjectAltName: Bool { !dnsNames.isEmpty || !ipAddresses.isEmpty || unkeptNames != nil }
    /// nil when there is no extended key usage; otherwise whether serverAuth or anyExtendedKeyUsage is in it.
    public var allowsServerAuth: Bool?
    public var isCA = false
    public var isSelfIssued = false

    public init() {}
}

/// Why a handshake with an origin did not finish. Numbers only; whose fault it was is told by the case.
public enum HandshakeFailure: Error, Sendable, Hashable {
    /// The origin sent a fatal alert (RFC 8446 section 6.2).
    case alertReceived(UInt8)
    /// The origin answered with a version outside our offer.
    case versionNotOffered
    /// The origin chose a suite that was not offered.
    case suiteNotOffered
    /// The connection ended before the handshake did; `reset` when by TCP RST.
    case closed(reset: Bool)
    /// The first bytes were no TLS record; up to 16 of them.
    case notTLS([UInt8])
    /// No answer within the handshake time limit.
    case timeout
    /// The origin's certificates are longer than we read, see ``CertificateFacts/longestChain``.
    case chainTooLarge
    /// Something else our TLS library refused; its packed error code.
    case library(UInt64)
}

/// Why an origin could not be reached at all.
public enum NetworkFailure: Error, Sendable, Hashable {
    /// The name has no address. The resolver's own code.
    case name(code: Int32)
    case refused
    case timeout
    /// Reset or unreachable; the errno.
    case reset(errno: Int32)
    /// The gate's own process may open no more descriptors: our fault, not the origin's.
    case noDescriptors
    /// The gate itself listens there: dialing it would go round in circles.
    case ownAddress
    /// The address is the gate's own machine, or on its link, and the client another machine.
    case forbidden
    /// The parent proxy, named as `HOST:PORT`, did not lead to the origin.
    case parent(String, ParentTrouble)
}

/// What a parent proxy did instead of leading to an origin.
public enum ParentTrouble: Sendable, Hashable {
    /// Its name has no address. The resolver's own code.
    case name(code: Int32)
    case refused
    case timeout
    /// Reset or unreachable; the errno.
    case reset(errno: Int32)
    /// It answered with this status.
    case answered(status: Int)
    /// It answered with something that is no HTTP, or ended the connection instead.
    case gaveNoAnswer
}

/// The facts of a handshake with an origin, as numbers and names without a verdict. Filled in by the TLS engine.
public struct HandshakeFacts: Sendable, Hashable {
    public var version: TLSVersion
    public var suite: CipherSuite
    /// Name of the key exchange group, for example `X25519`; nil for static RSA.
    public var group: String?
    /// ALPN protocol that the origin chose.
    public var alpn: String?
    /// Certificates as served, leaf first.
    public var served: [CertificateFacts]
    /// The evaluated path, leaf first, including the anchor if one was found. It is built without checking dates.
    public var path: [CertificateFacts]
    public var anchor: TrustAnchor
    /// Violations of X.509 in a path with an anchor.
    public var faults: [PathFault] = []
    /// Further paths from the same leaf to an anchor, the one to try first is the first. Dates and the release decide
    /// which path a device uses: ``HandshakeCase`` puts that into ``path``.
    public var otherPaths: [CertificatePath] = []
    /// Signed certificate timestamps in the leaf, the TLS extension and the stapled OCSP response. With a log list only
    /// those that count, otherwise all that were seen.
    public var scts: SCTCounts
    /// The comparison of the timestamps with a log list; nil without a list.
    public var sctReview: SCTReview?
    /// nil if no OCSP response was stapled.
    public var staple: StapledAnswer?
    /// RFC 7627; nil if it does not apply, as in TLS 1.3, or was not checked.
    public var usesExtendedMasterSecret: Bool?
    /// nil if the origin requested no certificate.
    public var clientCertificate: ClientCertificateUse?
    /// nil if the handshake has no signature, as with static RSA.
    public var signature: HandshakeSignature?
    /// The group that the hello of these facts left out, after the same hello with it had failed; nil for none.
    public var groupLeftOut: String?
    /// Number of certificates that a record does not keep; nil for none.
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

    /// The facts of another handshake with the same origin that showed only a version and a suite: the others are assumed
    /// to be the same. A new fact is kept unless it is listed here.
    public func seen(_ version: TLSVersion, _ suite: CipherSuite) -> HandshakeFacts {
        var facts = self
        (facts.version, facts.suite) = (version, suite)
        if version != self.version || suite != self.suite { facts.group = nil }
        facts.groupLeftOut = nil
        return facts
    }
}

/// The answer to an origin's request for a client certificate. Raw values are stored and shown.
public enum ClientCertificateUse: String, Sendable, Hashable {
    /// It was requested, and none was sent.
    case asked
    case sent
}

/// The end of a certificate path.
public enum TrustAnchor: String, Sendable, Hashable {
    /// A root of the platform's bundle or of `--roots`.
    case system
    /// A root given by `--extra-ca`.
    case user
    /// The leaf is self-signed and is not an anchor.
    case selfSignedLeaf = "self-signed-leaf"
    /// The path is complete, but its root is not an anchor.
    case unknownRoot = "unknown-root"
    /// An issuer was neither served nor found.
    case incomplete
    /// A signature in the path does not verify, or the chain cannot be used at all.
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

/// The facts of an X.509 certificate that rules and reports use.
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
    /// Output size of the signature's hash in bits (SHA-1 is 160); nil if the scheme has no separate hash (Ed25519).
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
    /// Number of names and addresses that are not in those two lists; none of them matches the requested host; nil for
    /// none. See ``namesKept``.
    public var unkeptNames: Int?
    /// True if there is a subjectAltName extension with a DNS name or an IP address.
    public var hasSubjectAltName: Bool { !dnsNames.isEmpty || !ipAddresses.isEmpty || unkeptNames != nil }
    /// nil without an extended key usage; otherwise true if it includes serverAuth or anyExtendedKeyUsage.
    public var allowsServerAuth: Bool?
    public var isCA = false
    public var isSelfIssued = false

    public init() {}
}

/// The reason why a handshake with an origin did not finish. Numbers only; the case shows which side caused it.
public enum HandshakeFailure: Error, Sendable, Hashable {
    /// The origin sent a fatal alert (RFC 8446 section 6.2).
    case alertReceived(UInt8)
    /// The origin answered with a version outside our offer.
    case versionNotOffered
    /// The origin chose a suite that was not offered.
    case suiteNotOffered
    /// A device would offer nothing: the dictionary requires a version that its release does not support.
    case nothingToOffer
    /// The connection ended before the handshake did; `reset` is true for a TCP RST.
    case closed(reset: Bool)
    /// The first bytes were not a TLS record; up to 16 of them.
    case notTLS([UInt8])
    /// No answer within the handshake time limit.
    case timeout
    /// The origin's certificates are longer than we read, see ``CertificateFacts/longestChain``.
    case chainTooLarge
    /// Another failure in our TLS library, with its packed error code.
    case library(UInt64)
}

/// The reason why an origin could not be reached.
public enum NetworkFailure: Error, Sendable, Hashable {
    /// The name has no address; with the resolver's own code.
    case name(code: Int32)
    case refused
    case timeout
    /// Reset or unreachable; with the errno.
    case reset(errno: Int32)
    /// The gate's process has no file descriptor left: our fault, not the origin's.
    case noDescriptors
    /// The gate itself listens at that address, so dialing it would loop.
    case ownAddress
    /// The address is the gate's own machine, or link-local to it, and the client is another machine.
    case forbidden
    /// The parent proxy, named as `HOST:PORT`, did not connect to the origin.
    case parent(String, ParentTrouble)
    /// A proxy on the way decrypts the connection, and its own handshake breaks a rule.
    case decrypted(DecryptingProxy)
}

/// The failure of a parent proxy to connect to an origin.
public enum ParentTrouble: Sendable, Hashable {
    /// Its name has no address; with the resolver's own code.
    case name(code: Int32)
    case refused
    case timeout
    /// Reset or unreachable; with the errno.
    case reset(errno: Int32)
    /// It answered with this status.
    case answered(status: Int)
    /// It answered with something other than HTTP, or closed the connection.
    case gaveNoAnswer
}

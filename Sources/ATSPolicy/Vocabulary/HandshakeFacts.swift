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

/// One path from a leaf to an anchor, leaf first.
public struct CertificatePath: Sendable, Hashable {
    public var certificates: [CertificateFacts]
    public var anchor: TrustAnchor
    public var faults: [PathFault]

    public init(_ certificates: [CertificateFacts], anchor: TrustAnchor, faults: [PathFault] = []) {
        self.certificates = certificates
        self.anchor = anchor
        self.faults = faults
    }
}

/// A violation of X.509 in a path. It depends on neither time nor release; the rule knows the releases that check it.
public struct PathFault: Sendable, Hashable {
    /// Raw values are stored.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A name outside the permitted names, or inside the excluded names, of a CA below the anchor.
        case nameConstraints = "name-constraints"
        /// The same for the constraints of the anchor.
        case rootNameConstraints = "root-name-constraints"
        /// More CAs than a CA below the anchor allows.
        case pathLength = "path-length"
        /// More CAs than the anchor allows.
        case rootPathLength = "root-path-length"
        /// An issuer of version 3 without basic constraints.
        case noBasicConstraints = "no-basic-constraints"
        /// An issuer whose basic constraints do not make it a CA.
        case notCA = "not-ca"
        /// An issuer whose key usage lacks keyCertSign.
        case keyUsage = "key-usage"
        /// An intermediate of version 1 or 2 under an anchor of version 3.
        case oldVersion = "old-version"
        /// A critical extension of an unknown kind.
        case criticalExtension = "critical-extension"
        /// An extension that cannot be read, or that occurs twice.
        case malformedExtension = "malformed-extension"
        /// An empty subject, of a CA or of a leaf without a critical alternative name.
        case emptySubject = "empty-subject"
    }

    public var kind: Kind
    /// Index in the path; 0 is the leaf.
    public var place: Int

    public init(_ kind: Kind, at place: Int) {
        self.kind = kind
        self.place = place
    }
}

/// The status of the leaf in a stapled OCSP response. The rules check its dates. Source: RFC 6960.
public struct StapledAnswer: Sendable, Hashable {
    public enum Status: Sendable, Hashable {
        case good
        /// - Parameters:
        ///   - at: seconds since 1970-01-01 UTC.
        ///   - reason: RFC 5280 section 5.3.1; nil if the response has none.
        case revoked(at: Int64, reason: Int?)
        /// The responder does not know the leaf.
        case unknown
        /// The response is not authorized by the leaf's issuer, or is not about the leaf.
        case invalid
    }

    public var status: Status
    /// Seconds since 1970-01-01 UTC.
    public var thisUpdate: Int64
    /// nil if newer responses are always available.
    public var nextUpdate: Int64?

    public init(_ status: Status, thisUpdate: Int64 = 0, nextUpdate: Int64? = nil) {
        self.status = status
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
    }

    /// Source: RFC 6960 section 4.2.2.1.
    func isInDate(at now: Int64) -> Bool {
        thisUpdate <= now && nextUpdate.map { $0 >= now } ?? true
    }
}

extension StapledAnswer.Status {
    /// One word, for records.
    public var word: String {
        switch self {
        case .good: "good"
        case .revoked: "revoked"
        case .unknown: "unknown"
        case .invalid: "invalid"
        }
    }
}

/// The signed certificate timestamps of one handshake, checked against a log list. The rules evaluate what depends on
/// the clock.
public struct SCTReview: Sendable, Hashable {
    /// Timestamps with valid signatures, from logs that were approved when they were made.
    public var counted: [CountedSCT]
    /// The reasons why the other timestamps do not count.
    public var refused: [SCTRefusal]
    /// The date of the list, in seconds since 1970-01-01 UTC; nil if it has none.
    public var listTime: Int64?

    public init(counted: [CountedSCT] = [], refused: [SCTRefusal] = [], listTime: Int64? = nil) {
        self.counted = counted
        self.refused = refused
        self.listTime = listTime
    }

    /// The number of timestamps that the origin sent.
    public var given: Int { counted.count + refused.count }

    /// The numbers of timestamps that count, by source.
    public var counts: SCTCounts {
        counted.reduce(into: SCTCounts()) { counts, timestamp in
            switch timestamp.source {
            case .embedded: counts.embedded += 1
            case .handshake: counts.handshake += 1
            case .stapled: counts.stapled += 1
            }
        }
    }
}

/// The place in which a timestamp was delivered. Source: RFC 6962 section 3.3.
public enum SCTSource: String, Sendable, Hashable {
    /// An extension of the certificate.
    case embedded
    /// An extension of the TLS handshake.
    case handshake
    /// An extension of the stapled OCSP response.
    case stapled
}

/// A timestamp with a valid signature.
public struct CountedSCT: Sendable, Hashable {
    public var source: SCTSource
    /// The time of its creation, in seconds since 1970-01-01 UTC.
    public var time: Int64
    /// The operator of its log; nil if the list does not name one.
    public var operatorName: String?
    /// The time when its log's approval ends, in seconds since 1970-01-01 UTC; nil for a log without such a date.
    public var retirement: Int64?
    /// True if its log is a tiled log, which does not follow RFC 6962.
    public var isTiled: Bool

    public init(
        source: SCTSource, time: Int64, operatorName: String? = nil, retirement: Int64? = nil, isTiled: Bool = false
    ) {
        self.source = source
        self.time = time
        self.operatorName = operatorName
        self.retirement = retirement
        self.isTiled = isTiled
    }
}

/// The reason why a timestamp does not count. Raw values are stored and shown: never rename one, only add.
public enum SCTRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// The list has no such log.
    case unknownLog = "unknown-log"
    /// The list has the log, but the log was never approved.
    case unapprovedLog = "unapproved-log"
    /// It was made after its log was retired.
    case retiredLog = "retired-log"
    case badSignature = "bad-signature"
    /// It is embedded, and cannot be verified because the issuer's key was neither served nor known.
    case missingIssuer = "missing-issuer"
    /// Not version 1, the only one of RFC 6962.
    case unknownVersion = "unknown-version"
}

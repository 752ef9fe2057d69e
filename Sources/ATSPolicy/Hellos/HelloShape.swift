/// The parts of a ClientHello that change less often than its suites: groups, key shares, signature algorithms, padding
/// and certificate compression.
///
/// Source: recorded ClientHellos of testssl/testssl.sh, refraction-networking/utls, lexiforest/curl-impersonate,
/// roolinkio/tlsprofiles and Averyy/wafer; docs/law/tls.md#groups-and-signatures. Raw values are stored: never rename
/// one, only add.
public enum HelloShape: String, Sendable, Hashable, CaseIterable {
    /// 9. Source: SSL Labs' clients of iOS 9, with and without ATS, in testssl/testssl.sh.
    case ios9 = "9"
    /// 10. Source: SSL Labs' client of iOS 10 in testssl/testssl.sh.
    case ios10 = "10"
    /// 11 to 12.0: X25519 and RSA-PSS. Source: testssl/testssl.sh, macOS 10.13.6; refraction-networking/utls, iOS 11.1.
    case ios11 = "11"
    /// 12.1 to 14: ecdsa_sha1, and rsa_pss_rsae_sha384 twice. Source: testssl/testssl.sh, iOS 12.2 and macOS 10.14.6;
    /// refraction-networking/utls, iOS 12.1 to 14.
    case ios12 = "12.1"
    /// 15 to 17: zlib certificate compression. Source: testssl/testssl.sh, macOS 12.3.1; bogdanfinn/tls-client, an app on
    /// 15 and iOS 17.0; lexiforest/curl-impersonate, 17.0 and 17.2.
    case ios15 = "15"
    /// 18: no ecdsa_sha1. Source: testssl/testssl.sh, 18.4; lexiforest/curl-impersonate, 18.0 and 18.4.
    case ios18 = "18"
    /// 26 and later: X25519MLKEM768 with a key share. Source: Apple support 122756; testssl/testssl.sh, 26.4;
    /// roolinkio/tlsprofiles, 26.0 to 26.2; Averyy/wafer, 26.5.2.
    case ios26 = "26"

    /// The shape of a release. No hello of 27 is public: it is assumed to be that of 26 (inferred;
    /// docs/law/profiles.md#ios-27).
    init(_ generation: OSVersion) {
        self =
            switch generation {
            case ..<OSVersion(10): .ios9
            case ..<OSVersion(11): .ios10
            case ..<OSVersion(12, 1): .ios11
            case ..<OSVersion(15): .ios12
            case ..<OSVersion(18): .ios15
            case ..<OSVersion(26): .ios18
            default: .ios26
            }
    }

    /// supported_groups, in the order sent.
    public var groups: [UInt16] {
        switch self {
        case .ios9, .ios10: [0x0017, 0x0018, 0x0019]
        case .ios11, .ios12, .ios15, .ios18: [0x001D, 0x0017, 0x0018, 0x0019]
        case .ios26: [Self.hybridGroup, 0x001D, 0x0017, 0x0018, 0x0019]
        }
    }

    /// The groups of key_share in TLS 1.3, in the order sent.
    public var keyShares: [UInt16] { offersHybridGroup ? [Self.hybridGroup, 0x001D] : Array(groups.prefix(1)) }

    /// signature_algorithms, in the order sent.
    public var signatures: [UInt16] {
        switch self {
        case .ios9: [0x0501, 0x0401, 0x0201, 0x0503, 0x0403, 0x0203]
        case .ios10: [0x0401, 0x0201, 0x0501, 0x0601, 0x0403, 0x0203, 0x0503, 0x0603]
        case .ios11: [0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601, 0x0201]
        case .ios12, .ios15:
            [0x0403, 0x0804, 0x0401, 0x0503, 0x0203, 0x0805, 0x0805, 0x0501, 0x0806, 0x0601, 0x0201]
        case .ios18, .ios26: [0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0805, 0x0501, 0x0806, 0x0601, 0x0201]
        }
    }

    /// True if hellos of 256 to 511 bytes are padded to 512 (RFC 7685). The lists of 9 to 11 are too short to show it.
    public var isPadded: Bool {
        switch self {
        case .ios9, .ios10, .ios11: false
        case .ios12, .ios15, .ios18, .ios26: true
        }
    }

    /// True if the hello offers certificates compressed with zlib (RFC 8879).
    public var compressesCertificates: Bool {
        switch self {
        case .ios9, .ios10, .ios11, .ios12: false
        case .ios15, .ios18, .ios26: true
        }
    }

    /// True if the hello has X25519MLKEM768, with a key share.
    public var offersHybridGroup: Bool { self == .ios26 }

    /// The same hello without the hybrid group, which is that of 18.
    public var withoutHybridGroup: HelloShape { self == .ios26 ? .ios18 : self }

    /// X25519MLKEM768. Source: IANA, TLS Supported Groups; draft-ietf-tls-ecdhe-mlkem.
    public static let hybridGroup: UInt16 = 0x11EC
    /// Its name in records.
    public static let hybridGroupName = "X25519MLKEM768"
}

extension HandshakeSignature {
    /// The codes of a signature in TLS 1.2 and later (IANA, TLS SignatureScheme); empty if only the library knows it.
    private var codes: [UInt16] {
        switch (scheme, hashBits) {
        case (.ecdsa, 160): [0x0203]
        case (.ecdsa, 256): [0x0403]
        case (.ecdsa, 384): [0x0503]
        case (.ecdsa, 512): [0x0603]
        case (.rsaPKCS1, 160): [0x0201]
        case (.rsaPKCS1, 256): [0x0401]
        case (.rsaPKCS1, 384): [0x0501]
        case (.rsaPKCS1, 512): [0x0601]
        case (.rsaPSS, 256): [0x0804, 0x0809]
        case (.rsaPSS, 384): [0x0805, 0x080A]
        case (.rsaPSS, 512): [0x0806, 0x080B]
        case (.eddsa, _): [0x0807, 0x0808]
        default: []
        }
    }

    /// True if a hello with these signature algorithms allows the signature.
    public func isAmong(_ offered: [UInt16]) -> Bool { codes.contains(where: offered.contains) }

    /// For sentences: `ECDSA with SHA-512`.
    var words: String {
        let name =
            switch scheme {
            case .rsaPKCS1: "RSA PKCS #1"
            case .rsaPSS: "RSA-PSS"
            case .ecdsa: "ECDSA"
            case .dsa: "DSA"
            case .eddsa: "EdDSA (Ed25519 or Ed448)"
            case .other: "an algorithm that atsgate does not know"
            }
        return hashBits.map { "\(name) with SHA-\($0 == 160 ? 1 : $0)" } ?? name
    }
}

/// ATS's requirements for an https load, in addition to the system's own rules. Source: Security,
/// SecProtocolConfiguration.m; docs/law/rulings.md#demands.
public struct TLSDemands: Sendable, Hashable {
    /// Lowest accepted version: the higher one of the entry's value and the system's minimum
    /// (docs/law/tls.md#system-floor).
    public var minimumTLS: TLSVersion
    /// The lower version that the exception entry allows and the system's minimum overrules
    /// (docs/law/tls.md#system-floor); nil if it is not overruled.
    public var overruledMinimum: TLSVersion?
    /// Only ECDHE and TLS 1.3 key exchange.
    public var forwardSecrecy: Bool
    /// The app cannot override trust failures: they surface as -1200 [3:-9802] instead of -1202.
    public var strictTrust: Bool
    /// RSA >= 2048, EC >= 256 and SHA-256 or better below the anchor (docs/law/trust.md#ats-minimums, C5).
    public var certificateFloor: Bool
    /// Suites that may be negotiated, in the order offered (docs/law/tls.md#suites,
    /// docs/law/tls.md#suites-without-forward-secrecy).
    public var suites: [CipherSuite]
    /// Identities that the dictionary pins this host to (docs/law/pinning.md); nil if it pins none.
    public var pins: PinDemands?

    /// The NIAP package that narrowed `suites` (docs/law/niap.md#package-21); nil if none did.
    public var niap: NIAPPackage?
    /// True if an entry requires Certificate Transparency, on a release that reads that key
    /// (docs/law/keys.md#entry-keys).
    public var requiresCertificateTransparency = false
    /// True if the certificate floor covers only hashes, not key sizes (C4, the documentation's reading).
    public var waivesKeySize = false
    /// True if the certificate floor covers only the leaf (C5, the documentation's reading).
    public var checksLeafOnly = false
    /// True if every certificate is accepted, regardless of the system's evaluation (C10, the archived documentation's
    /// reading).
    public var acceptsAnyCertificate = false

    /// True if the dictionary pins this host.
    public var isPinned: Bool { pins != nil }

    public init(
        minimumTLS: TLSVersion, forwardSecrecy: Bool, strictTrust: Bool, certificateFloor: Bool,
        suites: [CipherSuite], overruledMinimum: TLSVersion? = nil, pins: PinDemands? = nil
    ) {
        self.minimumTLS = minimumTLS
        self.overruledMinimum = overruledMinimum
        self.forwardSecrecy = forwardSecrecy
        self.strictTrust = strictTrust
        self.certificateFloor = certificateFloor
        self.suites = suites
        self.pins = pins
    }
}

/// The contents of our hello to an origin: exactly the offer of the emulated device.
public struct TLSOffer: Sendable, Hashable {
    public var minimum: TLSVersion
    public var maximum: TLSVersion
    /// In order of preference, TLS 1.3 suites included.
    public var suites: [CipherSuite]
    /// Groups, signature algorithms and extensions of the release's hello; nil for those of the TLS library.
    public var shape: HelloShape?
    /// True if handshakes may be signed with SHA-1, which no NIAP package allows (docs/law/niap.md#package-21).
    public var takesSHA1Signatures = true

    public init(minimum: TLSVersion, maximum: TLSVersion, suites: [CipherSuite], shape: HelloShape? = nil) {
        self.minimum = minimum
        self.maximum = maximum
        self.suites = suites
        self.shape = shape
    }

    /// The signature algorithms in the order sent; nil for those of the TLS library.
    public var signatures: [UInt16]? {
        shape.map { shape in shape.signatures.filter { takesSHA1Signatures || $0 >> 8 != Self.sha1 } }
    }

    /// True if the hello has X25519MLKEM768, which needs TLS 1.3 (draft-ietf-tls-ecdhe-mlkem).
    public var offersHybridGroup: Bool { shape?.offersHybridGroup == true && maximum >= .tls13 }

    /// The same offer without X25519MLKEM768 and its key share.
    public var withoutHybridGroup: TLSOffer {
        var offer = self
        offer.shape = shape?.withoutHybridGroup
        return offer
    }

    /// Returns the offer that satisfies both, or the other one if they have nothing in common.
    public func narrowed(to other: TLSOffer) -> TLSOffer {
        var both = TLSOffer(
            minimum: max(minimum, other.minimum), maximum: min(maximum, other.maximum),
            suites: suites.isEmpty ? other.suites : suites.filter { other.suites.isEmpty || other.suites.contains($0) },
            shape: shape ?? other.shape)
        both.takesSHA1Signatures = takesSHA1Signatures && other.takesSHA1Signatures
        let hasCommonSuite = !both.suites.isEmpty || suites.isEmpty && other.suites.isEmpty
        return both.minimum <= both.maximum && hasCommonSuite ? both : other
    }

    /// Everything that our TLS library supports. Used after an origin rejected the device's offer, to find out what it
    /// would accept. Empty `suites` means all.
    public static let diagnostic = TLSOffer(minimum: .tls10, maximum: .tls13, suites: [])

    /// The hash's number in a signature algorithm of TLS 1.2. Source: RFC 5246 section 7.4.1.4.1.
    private static let sha1: UInt16 = 2
}

/// The identities that a dictionary pins a host to: the union of all entries that match it. Source: Apple,
/// NSPinnedDomains; docs/law/pinning.md#matching.
///
/// An identity is the Base64 of the SHA-256 over a SubjectPublicKeyInfo, as in ``CertificateFacts/spkiSHA256``.
public struct PinDemands: Sendable, Hashable {
    /// Compared with certificate 0. nil if no entry lists leaf identities; an empty set matches nothing.
    public var leaf: Set<String>?
    /// Compared with every certificate except the first, including the root. nil and empty as for `leaf`.
    public var authority: Set<String>?
    /// Keys of the entries, as written.
    public var entries: [String]

    public init(leaf: Set<String>? = nil, authority: Set<String>? = nil, entries: [String] = []) {
        self.leaf = leaf
        self.authority = authority
        self.entries = entries
    }

    /// Merges two sets of pins: entries have no precedence (source; docs/law/pinning.md#matching).
    public func union(_ other: PinDemands) -> PinDemands {
        PinDemands(
            leaf: Self.union(leaf, other.leaf), authority: Self.union(authority, other.authority),
            entries: entries + other.entries)
    }

    private static func union(_ left: Set<String>?, _ right: Set<String>?) -> Set<String>? {
        guard let left else { return right }
        return right.map { left.union($0) } ?? left
    }
}

/// The value of a NIAP key. Source: Apple, NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#package-21.
public enum NIAPPackage: String, Sendable, Hashable, CaseIterable {
    /// The default; in an exception entry it overrides the global key.
    case none
    /// US NIAP Functional Package for TLS, version 2.1.
    case fcp21 = "FCP_v2.1"
    /// The package that Apple currently recommends. Only one package exists, so it is assumed to be that one
    /// (inferred).
    case recommended

    /// True if the package removes suites from ATS's offer.
    public var narrowsSuites: Bool { self != .none }

    /// Returns the suites that the package allows: all of TLS 1.3, and ECDHE with AES-GCM of TLS 1.2; no CBC and no
    /// ChaCha20.
    func narrowed(_ suites: [CipherSuite]) -> [CipherSuite] {
        guard narrowsSuites else { return suites }
        return suites.filter { suite in
            switch suite.keyExchange {
            case .tls13: true
            case .ecdhe: suite.name.contains("_GCM_")
            case .dhe, .rsa, .other: false
            }
        }
    }
}

/// A TLS protocol version, by its number on the wire (RFC 8446 section 4.1.2, RFC 5246 appendix A.1).
public enum TLSVersion: UInt16, Sendable, Hashable, CaseIterable, Comparable {
    case tls10 = 0x0301
    case tls11 = 0x0302
    case tls12 = 0x0303
    case tls13 = 0x0304

    /// `1.0` to `1.3`: the form of records and of `explain --json`.
    public var name: String {
        switch self {
        case .tls10: "1.0"
        case .tls11: "1.1"
        case .tls12: "1.2"
        case .tls13: "1.3"
        }
    }

    /// `TLSv1.0` to `TLSv1.3`: the form in a dictionary.
    public var declarationName: String { "TLSv" + name }

    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

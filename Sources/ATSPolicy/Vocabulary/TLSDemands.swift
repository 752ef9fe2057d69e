/// What ATS asks of an https load beyond the system's own rules. Source: Security, SecProtocolConfiguration.m;
/// docs/law/rulings.md#demands.
public struct TLSDemands: Sendable, Hashable {
    /// Lowest version that is accepted: the larger of the entry's value and the system's floor
    /// (docs/law/tls.md#system-floor).
    public var minimumTLS: TLSVersion
    /// What the exception entry asked for, where the system's floor overrules it (docs/law/tls.md#system-floor); nil
    /// where it does not.
    public var overruledMinimum: TLSVersion?
    /// Only ECDHE and TLS 1.3 key exchange.
    public var forwardSecrecy: Bool
    /// Trust failures can not be overridden by the app: they surface as -1200 [3:-9802] instead of -1202.
    public var strictTrust: Bool
    /// RSA >= 2048, EC >= 256 and SHA-256 or better below the anchor (docs/law/trust.md#ats-minimums, C5).
    public var certificateFloor: Bool
    /// Suites that may be negotiated, in the order offered (docs/law/tls.md#suites,
    /// docs/law/tls.md#suites-without-forward-secrecy).
    public var suites: [CipherSuite]
    /// Identities that the declaration pins this host to (docs/law/pinning.md); nil where it pins none.
    public var pins: PinDemands?

    /// The NIAP package that narrowed `suites` (docs/law/niap.md#package-21); nil where none did.
    public var niap: NIAPPackage?
    /// An entry asks for Certificate Transparency, on a system that reads that key (docs/law/keys.md#entry-keys).
    public var requiresCertificateTransparency = false
    /// Of the certificate floor only hashes are asked, not key sizes (C4, the documentation's reading).
    public var waivesKeySize = false
    /// The certificate floor is asked of the leaf alone (C5, the documentation's reading).
    public var checksLeafOnly = false
    /// Whatever the system says of a certificate, it passes (C10, the archived documentation's reading).
    public var acceptsAnyCertificate = false

    /// The declaration pins the identity of this host.
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

/// The shape of our hello to an origin: exactly what the emulated device would offer.
public struct TLSOffer: Sendable, Hashable {
    public var minimum: TLSVersion
    public var maximum: TLSVersion
    /// In order of preference, TLS 1.3 suites included.
    public var suites: [CipherSuite]
    /// Handshakes may be signed with SHA-1, which no NIAP package allows (docs/law/niap.md#package-21).
    public var takesSHA1Signatures = true

    public init(minimum: TLSVersion, maximum: TLSVersion, suites: [CipherSuite]) {
        self.minimum = minimum
        self.maximum = maximum
        self.suites = suites
    }

    /// What can be offered where both have to be kept to; where they have nothing in common, the other one.
    public func narrowed(to other: TLSOffer) -> TLSOffer {
        var both = TLSOffer(
            minimum: max(minimum, other.minimum), maximum: min(maximum, other.maximum),
            suites: suites.isEmpty ? other.suites : suites.filter { other.suites.isEmpty || other.suites.contains($0) })
        both.takesSHA1Signatures = takesSHA1Signatures && other.takesSHA1Signatures
        let hasCommonSuite = !both.suites.isEmpty || suites.isEmpty && other.suites.isEmpty
        return both.minimum <= both.maximum && hasCommonSuite ? both : other
    }

    /// Everything that our TLS library can speak, for learning what an origin would have agreed to after it turned
    /// the device's own offer down. Empty `suites` means all.
    public static let diagnostic = TLSOffer(minimum: .tls10, maximum: .tls13, suites: [])
}

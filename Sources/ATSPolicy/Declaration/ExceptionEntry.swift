/// One entry of `NSExceptionDomains` as a release reads it. Source: Apple, NSExceptionDomains; Security,
/// SecProtocolConfiguration.m; docs/law/keys.md#entry-keys, docs/law/keys.md#types-of-values.
///
/// A value is nil if its key is absent or ignored, so key paths always name keys that had an effect.
public struct ExceptionEntry: Sendable, Hashable {
    public var includesSubdomains: Bool?
    public var allowsInsecureHTTPLoads: Bool?
    /// The spelling of its key in the file: an older one on releases that accept those
    /// (docs/law/keys.md#old-spellings).
    public var insecureHTTPKey = ATSKey.insecureHTTP
    public var minimumTLS: TLSVersion?
    public var requiresForwardSecrecy: Bool?
    public var requiresCertificateTransparency: Bool?
    public var niap: NIAPPackage?

    public init(
        includesSubdomains: Bool? = nil, allowsInsecureHTTPLoads: Bool? = nil, minimumTLS: TLSVersion? = nil,
        requiresForwardSecrecy: Bool? = nil
    ) {
        self.includesSubdomains = includesSubdomains
        self.allowsInsecureHTTPLoads = allowsInsecureHTTPLoads
        self.minimumTLS = minimumTLS
        self.requiresForwardSecrecy = requiresForwardSecrecy
    }
}

/// One entry of `NSPinnedDomains` as a release reads it. Source: Apple, NSPinnedDomains; docs/law/pinning.md.
public struct PinnedDomain: Sendable, Hashable {
    /// Key of the entry, as written.
    public var domain: String
    public var includesSubdomains: Bool
    /// Base64 of the SHA-256 over each SubjectPublicKeyInfo, without malformed elements. nil if the key is absent; an
    /// empty list matches nothing, so the host always fails.
    public var leafIdentities: [String]?
    public var authorityIdentities: [String]?

    /// True if the entry has at least one of the lists; without them it pins nothing.
    public var hasIdentities: Bool { leafIdentities != nil || authorityIdentities != nil }
}

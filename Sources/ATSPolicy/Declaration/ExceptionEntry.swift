/// One entry of `NSExceptionDomains` as a system reads it. Source: Apple, NSExceptionDomains; Security,
/// SecProtocolConfiguration.m; docs/law/keys.md#entry-keys, docs/law/keys.md#types-of-values.
///
/// A value is nil when its key is absent or does not count, so a key path is named only for keys that worked.
public struct ExceptionEntry: Sendable, Hashable {
    public var includesSubdomains: Bool?
    public var allowsInsecureHTTPLoads: Bool?
    /// The spelling of its key in the file: an older one on systems that read those (docs/law/keys.md#old-spellings).
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

/// One entry of `NSPinnedDomains` as a system reads it. Source: Apple, NSPinnedDomains; docs/law/pinning.md.
public struct PinnedDomain: Sendable, Hashable {
    /// Key of the entry, as written.
    public var domain: String
    public var includesSubdomains: Bool
    /// Base64 of the SHA-256 over a SubjectPublicKeyInfo each, malformed elements left out. nil when the key is
    /// absent; an empty list matches nothing, so the host always fails.
    public var leafIdentities: [String]?
    public var authorityIdentities: [String]?

    /// An entry without either list pins nothing.
    public var hasIdentities: Bool { leafIdentities != nil || authorityIdentities != nil }
}

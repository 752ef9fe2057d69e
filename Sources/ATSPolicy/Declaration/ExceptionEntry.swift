/// One entry of `NSExceptionDomains` as a system reads it. Source: `ats-semantics.md` 1.3, 1.5.
///
/// A value is nil when its key is absent or does not count, so a key path is named only for keys that worked.
public struct ExceptionEntry: Sendable, Hashable {
    public var includesSubdomains: Bool?
    public var allowsInsecureHTTPLoads: Bool?
    public var minimumTLS: TLSVersion?
    public var requiresForwardSecrecy: Bool?
    public var line: Int?

    public init(
        includesSubdomains: Bool? = nil, allowsInsecureHTTPLoads: Bool? = nil, minimumTLS: TLSVersion? = nil,
        requiresForwardSecrecy: Bool? = nil, line: Int? = nil
    ) {
        self.includesSubdomains = includesSubdomains
        self.allowsInsecureHTTPLoads = allowsInsecureHTTPLoads
        self.minimumTLS = minimumTLS
        self.requiresForwardSecrecy = requiresForwardSecrecy
        self.line = line
    }
}

/// One entry of `NSPinnedDomains`, as far as matching goes. Source: `ats-semantics.md` 1.6.
public struct PinnedDomain: Sendable, Hashable {
    /// Key of the entry, as written.
    public var domain: String
    public var includesSubdomains: Bool
    /// One of the two lists of identities is there; an entry without either pins nothing.
    public var hasIdentities: Bool

    public init(domain: String, includesSubdomains: Bool, hasIdentities: Bool) {
        self.domain = domain
        self.includesSubdomains = includesSubdomains
        self.hasIdentities = hasIdentities
    }
}

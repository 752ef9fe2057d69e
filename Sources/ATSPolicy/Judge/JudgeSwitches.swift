/// Readings of the law on which the sources disagree or stay silent; the defaults follow Apple's published source.
public struct JudgeSwitches: Sendable, Hashable {
    /// Addresses that count as *direct*. Apple's code for it is closed (`ats-semantics.md` 3.3 `[I]`).
    public var localNetworks: [AddressBlock]
    /// Apple's own exceptions (1.8); nil leaves it to the profile.
    public var builtInExceptions: Bool?
    /// C2: whether an address, even a direct one, needs NSAllowsLocalNetworking or an exception. nil leaves it to the
    /// profile: yes from 17 to 18.3, no from 18.4 on. Before 17 it has no meaning.
    public var strictIP: Bool?
    /// Whether pins hold where ATS is off for the host, which Apple does not document (1.6 `[I]`).
    public var pinWhenATSOff: Bool
    /// C1: how deep NSIncludesSubdomains of an exception reaches.
    public var subdomainDepth = SubdomainDepth.any
    /// C3: what of NSAllowsLocalNetworking disables NSAllowsArbitraryLoads.
    public var siblingKeys = SiblingReading.presence
    /// C6: whether suites with CBC and SHA-256 or SHA-384 are offered; nil leaves it to the profile.
    public var cbcSHA2: Bool?
    /// C8: whether the spellings of 1.4 are read; nil leaves it to the profile.
    public var legacyKeys: Bool?
    /// C9: whether addresses in NSExceptionDomains count; nil leaves it to the profile.
    public var addressKeys: Bool?

    /// The readings of C1.
    public enum SubdomainDepth: String, Sendable, Hashable, CaseIterable {
        /// One label, as the documentation says.
        case one
        /// Any number, as the source of 18.4 does and the older documentation says.
        case any
    }

    /// The readings of C3.
    public enum SiblingReading: String, Sendable, Hashable, CaseIterable {
        /// Any value, as the source of 18.4 does.
        case presence
        /// Only true, as an archived edition of the documentation says.
        case value
    }

    public init(
        localNetworks: [AddressBlock] = JudgeSwitches.defaultLocalNetworks, builtInExceptions: Bool? = nil,
        strictIP: Bool? = nil, pinWhenATSOff: Bool = true
    ) {
        self.localNetworks = localNetworks
        self.builtInExceptions = builtInExceptions
        self.strictIP = strictIP
        self.pinWhenATSOff = pinWhenATSOff
    }

    /// Loopback, link-local, RFC 1918 and RFC 4193; neither 100.64.0.0/10 nor 0.0.0.0. Source: `ats-semantics.md` 3.3.
    public static let defaultLocalNetworks =
        onLink + ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"].compactMap { AddressBlock($0) }

    /// Every address: what the documentation says of NSAllowsLocalNetworking, taken by the word (3.2 `[D]`).
    public static let allNetworks = ["0.0.0.0/0", "::/0"].compactMap { AddressBlock($0) }

    /// The part of the default that Apple's tests show to be direct (3.3 `[S]`).
    public static let onLink = ["127.0.0.0/8", "::1/128", "169.254.0.0/16", "fe80::/10"].compactMap { AddressBlock($0) }
}

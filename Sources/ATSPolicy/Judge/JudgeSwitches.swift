/// Readings of the law on which the sources disagree or stay silent; the defaults follow Apple's published source.
public struct JudgeSwitches: Sendable, Hashable {
    /// Addresses that count as *direct*. Apple's code for it is closed (`ats-semantics.md` 3.3 `[I]`).
    public var localNetworks: [AddressBlock]
    /// Apple's own exceptions (1.8); nil leaves it to the profile.
    public var builtInExceptions: Bool?
    /// The other reading of C2: an address, even a direct one, needs NSAllowsLocalNetworking or an exception.
    public var strictIP: Bool

    public init(
        localNetworks: [AddressBlock] = JudgeSwitches.defaultLocalNetworks, builtInExceptions: Bool? = nil,
        strictIP: Bool = false
    ) {
        self.localNetworks = localNetworks
        self.builtInExceptions = builtInExceptions
        self.strictIP = strictIP
    }

    /// Loopback, link-local, RFC 1918 and RFC 4193; neither 100.64.0.0/10 nor 0.0.0.0. Source: `ats-semantics.md` 3.3.
    public static let defaultLocalNetworks =
        onLink + ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"].compactMap { AddressBlock($0) }

    /// The part of the default that Apple's tests show to be direct (3.3 `[S]`).
    static let onLink = ["127.0.0.0/8", "::1/128", "169.254.0.0/16", "fe80::/10"].compactMap { AddressBlock($0) }
}

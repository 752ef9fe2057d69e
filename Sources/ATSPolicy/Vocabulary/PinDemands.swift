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

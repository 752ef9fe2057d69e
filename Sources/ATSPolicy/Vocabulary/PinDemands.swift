/// The identities that a declaration pins a host to: the union of every entry that serves it. Source: Apple,
/// NSPinnedDomains; docs/law/pinning.md#matching.
///
/// An identity is the Base64 of the SHA-256 over a SubjectPublicKeyInfo, as in ``CertificateFacts/spkiSHA256``.
public struct PinDemands: Sendable, Hashable {
    /// Held against certificate 0. nil where no entry lists leaf identities; an empty set matches nothing.
    public var leaf: Set<String>?
    /// Held against every certificate but the first, the root included. nil and empty as for `leaf`.
    public var authority: Set<String>?
    /// Keys of the entries, as written.
    public var entries: [String]

    public init(leaf: Set<String>? = nil, authority: Set<String>? = nil, entries: [String] = []) {
        self.leaf = leaf
        self.authority = authority
        self.entries = entries
    }

    /// Entries are merged, not ranked (source; docs/law/pinning.md#matching).
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

import Text

/// The domain under which one owner registered a host, and the owner's name in it.
///
/// The public suffixes are samples of publicsuffix.org (``SharedDomains``), so the result is inferred.
public struct OwnerDomain: Sendable, Hashable {
    /// For example `example.co.uk`.
    public let domain: String
    /// The label that the owner chose: `example`. A company often has it under several public suffixes.
    public let owner: String

    /// nil for addresses, names without a dot, and names that no public registry has: they are local or internal.
    ///
    /// - Parameter host: in any spelling.
    public init?(of host: String) {
        let name = HostGrammar.normalized(host)
        guard HostGrammar.isValidName(name), IPAddress(host: name) == nil else { return nil }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, let top = labels.last, !Self.specialUse.contains(String(top)) else { return nil }
        let suffixes = [name[...]] + HostGrammar.parents(of: name[...])
        guard !suffixes.contains("home.arpa") else { return nil }
        let suffix = suffixes.first { SharedDomains.contains(String($0)) }
        let length = suffix.map { $0.split(separator: ".").count } ?? 1
        guard labels.count > length else { return nil }
        domain = labels.suffix(length + 1).joined(separator: ".")
        owner = String(labels[labels.count - length - 1])
    }

    /// Top-level domains that no public registry delegates. Source: RFC 6761, RFC 6762 appendix G; ICANN, resolution on
    /// .internal (2024-07-29).
    private static let specialUse: Set = [
        "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local", "localhost", "onion", "private",
        "test",
    ]
}

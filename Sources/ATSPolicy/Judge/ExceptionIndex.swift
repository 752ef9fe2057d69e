/// Finds the entry that serves a host. Built once; a lookup slices the host and allocates nothing.
///
/// Source: `ats-semantics.md` 2.4 for names, 3.4 for addresses `[S]`.
struct ExceptionIndex: Sendable {
    /// An entry, and how many labels of the host stood in front of its key.
    struct Match {
        let law: EntryLaw
        let depth: Int
    }

    private struct Range: Sendable {
        let block: AddressBlock
        let law: EntryLaw
    }

    private var exact: [Substring: EntryLaw] = [:]
    /// Longest prefix first.
    private var ranges: [Range] = []
    private var longestParentBytes = 0

    init(_ laws: [EntryLaw]) {
        for law in laws {
            guard law.key.utf8.contains(UInt8(ascii: "/")) else {
                exact[law.key[...]] = law
                if law.includesSubdomains { longestParentBytes = max(longestParentBytes, law.key.utf8.count) }
                continue
            }
            if let block = AddressBlock(exceptionKey: law.key) { ranges.append(Range(block: block, law: law)) }
        }
        // Apple leaves the order of equal prefixes to chance; ours goes by the key's text.
        ranges.sort { ($1.block.prefixBits, $0.law.key) < ($0.block.prefixBits, $1.law.key) }
    }

    /// The entry for a name: the exact one, else the nearest parent that includes its subdomains, at any depth (C1).
    func match(name host: String) -> Match? {
        if let law = exact[host[...]] { return Match(law: law, depth: 0) }
        var rest = host[...]
        var depth = 0
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            depth += 1
            guard !rest.isEmpty, rest.utf8.count <= longestParentBytes else { continue }
            if let law = exact[rest], law.includesSubdomains { return Match(law: law, depth: depth) }
        }
        return nil
    }

    /// The entry for an address: the exact text first, then the longest range around it.
    func match(address: IPAddress, text: String) -> Match? {
        if let law = exact[text[...]] { return Match(law: law, depth: 0) }
        guard !ranges.isEmpty, text.utf8.count <= Self.longestTextBytes(address) else { return nil }
        return ranges.first { $0.block.contains(address) }.map { Match(law: $0.law, depth: 0) }
    }

    /// Longer texts match no range (3.4 `[S]`).
    private static func longestTextBytes(_ address: IPAddress) -> Int {
        switch address {
        case .v4: 15
        case .v6: 39
        }
    }
}

import Text

/// Finds the entry for a host. Built once; a lookup slices the host and does not allocate.
///
/// Source: Security, SecProtocolConfiguration.m; docs/law/domains.md#matching for names,
/// docs/law/addresses.md#address-keys for addresses.
struct ExceptionIndex: Sendable {
    /// An entry, and the number of host labels before its key.
    struct Match {
        let law: ExceptionRules
        let depth: Int
    }

    private struct Range: Sendable {
        let block: AddressBlock
        let law: ExceptionRules
    }

    private var exact: [Substring: ExceptionRules] = [:]
    /// Longest prefix first.
    private var ranges: [Range] = []
    /// True at index n if a key of n bytes exists. Avoids hashing most hosts.
    private var keyLengths: [Bool] = []
    /// The same for keys that include their subdomains.
    private var parentLengths: [Bool] = []
    /// Highest number of labels before a key (C1).
    private let mostLabels: Int

    init(_ laws: [ExceptionRules], reach: JudgeSwitches.SubdomainDepth) {
        mostLabels = reach == .one ? 1 : Int.max
        for law in laws {
            guard law.key.utf8.contains(UInt8(ascii: "/")) else {
                exact[law.key[...]] = law
                Self.mark(law.key.utf8.count, in: &keyLengths)
                if law.includesSubdomains { Self.mark(law.key.utf8.count, in: &parentLengths) }
                continue
            }
            if let block = AddressBlock(exceptionKey: law.key) { ranges.append(Range(block: block, law: law)) }
        }
        // Apple does not define the order of equal prefixes; this one orders them by the key's text.
        ranges.sort { ($1.block.prefixBits, $0.law.key) < ($0.block.prefixBits, $1.law.key) }
    }

    /// Returns the entry for a name: the exact one, otherwise the nearest parent that includes its subdomains, within
    /// the depth of C1.
    func match(name host: String) -> Match? {
        let bytes = host.utf8.count
        if bytes < keyLengths.count, keyLengths[bytes], let law = exact[host[...]] { return Match(law: law, depth: 0) }
        var rest = host[...]
        var depth = 0
        while depth < mostLabels, let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            depth += 1
            let bytes = rest.utf8.count
            guard bytes > 0, bytes < parentLengths.count, parentLengths[bytes] else { continue }
            if let law = exact[rest], law.includesSubdomains { return Match(law: law, depth: depth) }
        }
        return nil
    }

    /// Returns the entry for an address: by its exact text, otherwise by the narrowest range that contains it. A
    /// spelling that only resolvers read as an address is also looked up in canonical form.
    func match(address: IPAddress, text: String) -> Match? {
        if let law = exactly(text) { return Match(law: law, depth: 0) }
        var text = text
        if IPAddress(text) == nil, !text.utf8.contains(UInt8(ascii: ":")) {
            text = address.description
            if let law = exactly(text) { return Match(law: law, depth: 0) }
        }
        guard !ranges.isEmpty, text.utf8.count <= Self.longestTextBytes(address) else { return nil }
        return ranges.first { $0.block.contains(address) }.map { Match(law: $0.law, depth: 0) }
    }

    private func exactly(_ text: String) -> ExceptionRules? {
        let bytes = text.utf8.count
        guard bytes < keyLengths.count, keyLengths[bytes] else { return nil }
        return exact[text[...]]
    }

    private static func mark(_ length: Int, in lengths: inout [Bool]) {
        if length >= lengths.count { lengths += Array(repeating: false, count: length + 1 - lengths.count) }
        lengths[length] = true
    }

    /// Longer texts match no range (source; docs/law/addresses.md#address-keys).
    private static func longestTextBytes(_ address: IPAddress) -> Int {
        switch address {
        case .v4: 15
        case .v6: 39
        }
    }
}

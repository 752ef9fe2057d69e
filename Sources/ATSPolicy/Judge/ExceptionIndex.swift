public import Text

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

/// The effect of one exception entry on the hosts that it matches, computed once. Source: Security,
/// SecProtocolConfiguration.m; docs/law/rulings.md#order-of-decisions step 1.
final class ExceptionRules: Sendable {
    let key: String
    let includesSubdomains: Bool
    let allowsInsecureHTTPLoads: Bool
    /// True if the entry allows loads that the secure defaults block.
    let isLoosening: Bool
    let isBuiltIn: Bool
    let basis: RulingBasis
    let terms: TLSTerms

    init(key: String, entry: ExceptionEntry, setting: TLSTerms.Setting, isBuiltIn: Bool) {
        let profile = setting.profile
        self.key = key
        self.isBuiltIn = isBuiltIn
        includesSubdomains = entry.includesSubdomains ?? false
        allowsInsecureHTTPLoads = entry.allowsInsecureHTTPLoads ?? false
        isLoosening =
            allowsInsecureHTTPLoads || entry.requiresForwardSecrecy == false
            || max(entry.minimumTLS ?? .tls12, profile.tlsFloor) < .tls12
        terms = .entry(entry, setting)
        let path = "\(ATSKey.root).\(ATSKey.exceptionDomains).\(key)"
        let decidingKey = entry.allowsInsecureHTTPLoads == nil ? path : "\(path).\(entry.insecureHTTPKey)"
        basis = RulingBasis(
            step: .exception, keyPath: isBuiltIn ? nil : decidingKey, entry: key, isBuiltIn: isBuiltIn,
            notes: isBuiltIn
                ? ["\(key) is one of the exceptions built into the system (\(DocsSection.builtInExceptions))."]
                : Self.notes(entry, profile) + (terms.demands?.notes ?? []),
            confidence: profile.engine.confidence)
    }

    /// The system's minimum overrides an entry. Source: OWASP MASTG, TECH-0149; docs/law/tls.md#system-floor.
    private static func notes(_ entry: ExceptionEntry, _ profile: OSProfile) -> [String] {
        guard let minimum = entry.minimumTLS, minimum < profile.tlsFloor else { return [] }
        return [
            "\(ATSKey.minimumTLS) = \(minimum.declarationName) has no effect on \(profile.title) for apps linked with "
                + "the SDK of 26 or later: their minimum is TLS \(profile.tlsFloor.name) (\(DocsSection.systemFloor))."
        ]
    }
}

extension AddressBlock {
    /// Reads a key with `/` like Apple's parser, including its quirks. Source: Security, SecProtocolConfiguration.m;
    /// docs/law/addresses.md#address-keys.
    ///
    /// - Returns: nil for a key that never matches.
    public init?(exceptionKey key: String) {
        guard let slash = key.firstIndex(of: "/"), let bits = Self.prefix(key[key.index(after: slash)...]),
            let address = Self.address(key[..<slash])
        else { return nil }
        self.init(address, prefixBits: bits)
    }

    /// Returns the reason why ``init(exceptionKey:)`` returned nil, for a warning.
    public static func complaint(aboutExceptionKey key: String) -> String {
        guard let slash = key.firstIndex(of: "/") else { return "it is not CIDR notation" }
        let text = key[..<slash]
        if IPAddress(text) != nil, address(text) == nil {
            return "18.4 to 26.0 reject an address part of \(text.utf8.count) characters"
        }
        return "it is not CIDR notation"
    }

    /// Adds missing octets and a missing `::`. Texts near the full length are rejected, since Apple's buffer is one
    /// byte short.
    private static func address(_ text: Substring) -> IPAddress? {
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard text.utf8.count < refusedV6Characters else { return nil }
            let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
            let isShort = colons < 7 && !text.contains("::")
            return IPAddress(isShort ? text + "::" : text)
        }
        guard text.utf8.count < refusedV4Characters else { return nil }
        let dots = text.utf8.count { $0 == UInt8(ascii: ".") }
        return IPAddress(text + String(repeating: ".0", count: max(0, 3 - dots)))
    }

    /// A leading 0 means octal, as for `strtol` with base 0. Letters are rejected, so hexadecimal is, too (inferred).
    private static func prefix(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0.decimalDigit != nil }) else { return nil }
        let isOctal = text.utf8.count > 1 && text.utf8.first == UInt8(ascii: "0")
        return Int(text, radix: isOctal ? 8 : 10)
    }

    private static let refusedV4Characters = 14
    private static let refusedV6Characters = 38
}

/// Exceptions that the system registers in addition to the app's own. Source: Security, SecProtocolConfiguration.m;
/// docs/law/keys.md#built-in-exceptions.
enum BuiltInExceptions {
    /// All of them cover subdomains, allow http and do not require forward secrecy.
    static let entries: [String: ExceptionEntry] = [
        "apple.com": entry(.tls12),
        "setup.icloud.com": entry(.tls12),
        "ls.apple.com": entry(.tls10),
        "gs.apple.com": entry(.tls10),
        "geo.apple.com": entry(.tls10),
        "is.autonavi.com": entry(.tls10),
        "apple-mapkit.com": entry(.tls10),
    ]

    private static func entry(_ minimum: TLSVersion) -> ExceptionEntry {
        ExceptionEntry(
            includesSubdomains: true, allowsInsecureHTTPLoads: true, minimumTLS: minimum,
            requiresForwardSecrecy: false)
    }
}

/// Finds the pins of a host. Source: Apple, NSPinnedDomains; docs/law/pinning.md#matching.
struct PinIndex: Sendable {
    /// By lower-case key; entries whose keys differ only in case are merged.
    private var hosts: [Substring: PinDemands] = [:]
    /// The subset that includes subdomains.
    private var parents: [Substring: PinDemands] = [:]

    var isEmpty: Bool { hosts.isEmpty }

    init(_ pins: [PinnedDomain]) {
        for pin in pins where pin.hasIdentities {
            let key = pin.domain.lowercased()[...]
            let demands = PinDemands(pin)
            hosts[key] = hosts[key]?.union(demands) ?? demands
            if pin.includesSubdomains { parents[key] = parents[key]?.union(demands) ?? demands }
        }
    }

    /// Returns the merged pins of all matching entries. Ignores case and one trailing dot; subdomains match exactly one
    /// label deep.
    func demands(for host: String) -> PinDemands? {
        guard !hosts.isEmpty else { return nil }
        let name = host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host[...]
        let exact = hosts[name]
        guard !parents.isEmpty, let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")),
            let parent = parents[name[name.utf8.index(after: dot)...]]
        else { return exact }
        return exact?.union(parent) ?? parent
    }
}

extension PinDemands {
    fileprivate init(_ pin: PinnedDomain) {
        self.init(
            leaf: pin.leafIdentities.map { Set($0) }, authority: pin.authorityIdentities.map { Set($0) },
            entries: [pin.domain])
    }
}

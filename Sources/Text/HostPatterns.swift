/// A host as options specify it: exact, or `*.example.com` for all subdomains of `example.com`.
public struct HostPattern: Sendable, Hashable {
    /// The original text.
    public let text: String
    /// The name in the form used for comparison; for `*.example.com`, the part after `*.`.
    public let name: String
    /// True if the pattern matches all subdomains of ``name``, but not ``name`` itself.
    public let isWildcard: Bool

    /// - Returns: nil for text that is neither a host nor `*.` and a name. Case, a trailing dot, and the spelling of an
    ///   address make no difference; an IPv6 address may be in brackets.
    public init?(_ text: String) {
        let isWildcard = text.hasPrefix("*.")
        let name = Self.compared(isWildcard ? String(text.dropFirst(2)) : text)
        guard HostGrammar.isValidHost(name), !isWildcard || IPAddress(name) == nil else { return nil }
        self.text = text
        self.name = name
        self.isWildcard = isWildcard
    }

    /// Returns the form in which patterns and hosts are compared: that of ``HostGrammar/normalized(_:)``, and the
    /// canonical address for text that a resolver reads as one, such as `127.1`.
    static func compared(_ host: String) -> String {
        let name = HostGrammar.normalized(host)
        return IPAddress(host: name)?.description ?? name
    }
}

/// The hosts directly below a domain whose first label has a certain form.
public struct HostFamily: Sendable, Hashable {
    let domain: String
    private let labelPrefix: String
    private let labelPart: String
    private let labelSuffix: String

    /// - Parameter domain: in the form of ``HostGrammar/normalized(_:)``, like the parts of the label.
    public init(of domain: String, labelPrefix: String = "", labelPart: String = "", labelSuffix: String = "") {
        self.domain = domain
        self.labelPrefix = labelPrefix
        self.labelPart = labelPart
        self.labelSuffix = labelSuffix
    }

    func contains(label: Substring) -> Bool {
        label.hasPrefix(labelPrefix) && label.hasSuffix(labelSuffix) && (labelPart.isEmpty || label.contains(labelPart))
    }
}

/// A set of host patterns from the command line.
public struct HostPatterns: Sendable, Hashable {
    private var exact: Set<String> = []
    private var parents: Set<String> = []
    /// Hosts that wildcards do not match, nor any of their subdomains.
    private var excluded: Set<String> = []
    private var families: [HostFamily] = []

    /// - Parameter excluded: hosts that wildcards do not match, nor any of their subdomains; only a pattern with the
    ///   host's own name does.
    public init(
        of patterns: [HostPattern], excluding excluded: [HostPattern] = [], families: [HostFamily] = []
    ) {
        self.families = families
        for pattern in patterns {
            if pattern.isWildcard { parents.insert(pattern.name) } else { exact.insert(pattern.name) }
        }
        self.excluded = Set(excluded.map(\.name))
    }

    /// Invalid patterns match nothing.
    public init(_ patterns: [String]) {
        self.init(of: patterns.compactMap { HostPattern($0) })
    }

    public func union(_ other: HostPatterns) -> HostPatterns {
        var union = self
        union.exact.formUnion(other.exact)
        union.parents.formUnion(other.parents)
        union.excluded.formUnion(other.excluded)
        union.families += other.families.filter { !families.contains($0) }
        return union
    }

    public var isEmpty: Bool { exact.isEmpty && parents.isEmpty && families.isEmpty }

    /// True if a pattern has exactly this name, not just a wildcard that matches it.
    public func names(_ host: String) -> Bool { exact.contains(HostPattern.compared(host)) }

    /// - Parameter host: in any case, with or without a trailing dot; an address in any spelling, IPv6 with or without
    ///   brackets.
    public func contains(_ host: String) -> Bool {
        guard !isEmpty else { return false }
        let name = HostPattern.compared(host)
        if exact.contains(name) || isInFamily(name) { return true }
        guard !parents.isEmpty, !excluded.contains(name) else { return false }
        var isBelow = false
        var rest = name[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            if excluded.contains(String(rest)) { return false }
            if parents.contains(String(rest)) { isBelow = true }
        }
        return isBelow
    }

    private func isInFamily(_ name: String) -> Bool {
        guard !families.isEmpty, let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return false }
        let domain = name[name.utf8.index(after: dot)...]
        return families.contains { domain == $0.domain && $0.contains(label: name[..<dot]) }
    }
}

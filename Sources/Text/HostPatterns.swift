/// A host as options name it: exact, or `*.example.com` for everything below `example.com`.
public struct HostPattern: Sendable, Hashable {
    /// As it was written.
    public let text: String
    /// In the spelling by which hosts are compared; of `*.example.com` what stands behind the star and its dot.
    public let name: String
    /// It stands for all names below ``name``, and not for that itself.
    public let isWildcard: Bool

    /// - Returns: nil for text that is neither a host nor `*.` and a name. Capitals, a dot behind, and the spelling of
    ///   an address make no difference; one of IPv6 may stand in brackets.
    public init?(_ text: String) {
        let isWildcard = text.hasPrefix("*.")
        let name = Self.compared(isWildcard ? String(text.dropFirst(2)) : text)
        guard HostGrammar.isValidHost(name), !isWildcard || IPAddress(name) == nil else { return nil }
        self.text = text
        self.name = name
        self.isWildcard = isWildcard
    }

    /// The spelling by which patterns and hosts are compared: that of ``HostGrammar/normalized(_:)``, and for what a
    /// resolver reads as an address, such as `127.1`, the plain one.
    static func compared(_ host: String) -> String {
        let name = HostGrammar.normalized(host)
        return IPAddress(host: name)?.description ?? name
    }
}

/// Hosts given on the command line, to be looked hosts up in.
public struct HostPatterns: Sendable, Hashable {
    private var exact: Set<String> = []
    private var parents: Set<String> = []
    /// Hosts that no wildcard stands for, nor for what is below them.
    private var leftOut: Set<String> = []

    /// - Parameter leftOut: hosts that wildcards do not stand for, neither them nor what is below; only a pattern with
    ///   the host's own name does.
    public init(of patterns: [HostPattern], leavingOut leftOut: [HostPattern] = []) {
        for pattern in patterns {
            if pattern.isWildcard { parents.insert(pattern.name) } else { exact.insert(pattern.name) }
        }
        self.leftOut = Set(leftOut.map(\.name))
    }

    /// Texts that are no patterns match nothing.
    public init(_ patterns: [String]) {
        self.init(of: patterns.compactMap { HostPattern($0) })
    }

    public func union(_ other: HostPatterns) -> HostPatterns {
        var union = self
        union.exact.formUnion(other.exact)
        union.parents.formUnion(other.parents)
        union.leftOut.formUnion(other.leftOut)
        return union
    }

    public var isEmpty: Bool { exact.isEmpty && parents.isEmpty }

    /// Whether the host is among them by its own name, and not by a wildcard.
    public func names(_ host: String) -> Bool { exact.contains(HostPattern.compared(host)) }

    /// - Parameter host: in any case, with or without a dot behind it; an address in any spelling, one of IPv6 with or
    ///   without brackets.
    public func contains(_ host: String) -> Bool {
        guard !isEmpty else { return false }
        let name = HostPattern.compared(host)
        if exact.contains(name) { return true }
        guard !parents.isEmpty, !leftOut.contains(name) else { return false }
        var isBelow = false
        var rest = name[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            if leftOut.contains(String(rest)) { return false }
            if parents.contains(String(rest)) { isBelow = true }
        }
        return isBelow
    }
}

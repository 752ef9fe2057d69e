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

/// A pattern for a whole name: `*` matches any text including none, `?` one character, everything else itself. ASCII
/// case is ignored.
public struct Glob: Sendable, Hashable, CustomStringConvertible {
    /// The original text.
    public let description: String
    private let pattern: [Unicode.Scalar]

    public init(_ text: String) {
        description = text
        pattern = Self.withoutRuns(Self.folded(text))
    }

    /// Reduces a run of stars and question marks to its question marks and one star, which match the same names. A
    /// regular expression engine creates states for each star: PostgreSQL 15 took 1.4 seconds for 500 in a row and
    /// rejected 2,000.
    private static func withoutRuns(_ pattern: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var plain: [Unicode.Scalar] = []
        var isAfterStar = false
        for scalar in pattern {
            if scalar == "*" {
                isAfterStar = true
            } else {
                if isAfterStar, scalar != "?" {
                    plain.append("*")
                    isAfterStar = false
                }
                plain.append(scalar)
            }
        }
        return isAfterStar ? plain + ["*"] : plain
    }

    /// True if the pattern matches all of `name`. The number of steps is at most the product of both lengths.
    public func matches(_ name: String) -> Bool {
        let name = Self.folded(name)
        var (place, index) = (0, 0)
        // The index after the last star, and the first position in the name that the star does not cover yet.
        var star: (next: Int, covered: Int)?
        while place < name.count {
            if index < pattern.count, pattern[index] == "*" {
                index += 1
                star = (index, place)
            } else if index < pattern.count, pattern[index] == "?" || pattern[index] == name[place] {
                index += 1
                place += 1
            } else if let last = star {
                star = (last.next, last.covered + 1)
                index = last.next
                place = last.covered + 1
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == "*" }
    }

    /// The pattern for SQLite's `GLOB`, to compare with the name in lower case. In it, `[` begins a set
    /// (sqlite.org/lang_expr.html#glob).
    public var sqlite: String {
        String(String.UnicodeScalarView(pattern)).replacing("[", with: "[[]")
    }

    /// The pattern as a regular expression, to compare with the name in lower case. All characters with a special
    /// meaning are escaped (PostgreSQL 15, section 9.7.3.3).
    public var regularExpression: String {
        let parts = pattern.map { scalar in
            switch scalar {
            case "*": ".*"
            case "?": "."
            case "a"..."z", "0"..."9": String(scalar)
            case _ where scalar.isASCII && scalar.value > 0x20 && scalar.value < 0x7F: "\\" + String(scalar)
            default: String(scalar)
            }
        }
        return "^" + parts.joined() + "$"
    }

    private static func folded(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.map { scalar in
            ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar
        }
    }
}

import ATSPolicy

extension LintRule {
    /// `https://example.com` as a key.
    static let schemeInKey = shape(
        "lint.scheme-in-key", title: "The key of an entry is a URL, so it never matches", key: "https://a.example.com"
    ) { fault, entry in
        fault == .scheme ? "\(entry.key) never matches: write the host alone, without a scheme or a path" : nil
    }

    /// `example.com/api` as a key.
    static let pathInKey = shape(
        "lint.path-in-key", title: "The key of an entry has a path, so it never matches", key: "a.example.com/api"
    ) { fault, entry in
        fault == .path ? "\(entry.key) never matches: write the host alone, without a path" : nil
    }

    /// `*.example.com` and `.example.com`.
    static let wildcardKey = shape(
        "lint.wildcard-key", title: "The key of an entry is a wildcard, which is not supported", key: "*.example.com"
    ) { fault, entry in
        guard fault == .wildcard else { return nil }
        let parent = entry.key.drop { "*.".contains($0) }.prefix { $0 != ":" }
        return
            "\(entry.key) never matches: wildcards are not supported; use"
            + " \(parent.isEmpty ? "a domain" : String(parent)) and set \(ATSKey.includesSubdomains)"
    }

    /// `example.com:8080`.
    static let portInKey = shape(
        "lint.port-in-key", title: "The key of an entry has a port, so it never matches", key: "a.example.com:8080"
    ) { fault, entry in
        fault == .port ? "\(entry.key) never matches: write the host alone; an entry covers all ports" : nil
    }

    /// Hosts are lower-cased before the lookup; pins compare in either case (docs/law/pinning.md#matching).
    static let upperCaseKey = shape(
        "lint.upper-case-key", title: "The key of an entry has upper-case letters, so it never matches",
        confidence: .inferred, topic: "letter-case", key: "API.example.com"
    ) { fault, entry in
        guard fault == .upperCase, !entry.isPin else { return nil }
        return "\(entry.key) never matches: hosts are compared in lower case; write \(entry.key.lowercased())"
    }

    /// Exceptions take the dot literally; pins drop the host's dot, so a key with one never matches (C12).
    static let trailingDotKey = shape(
        "lint.trailing-dot-key", .warning, title: "The key of an entry ends with a dot", topic: "trailing-dot",
        key: "a.example.com."
    ) { fault, entry in
        guard fault == .trailingDot else { return nil }
        return entry.isPin
            ? "\(entry.key) never matches: the dot at the end of a host is dropped before pins are looked up"
            : "\(entry.key) matches only URLs whose host ends with a dot"
    }

    /// The A-label goes over the wire.
    static let foreignKey = shape(
        "lint.international-key", title: "The key of an entry is an international name that is not in its xn-- form",
        confidence: .inferred, topic: "international-names", key: "b\u{FC}cher.example.com"
    ) { fault, entry in
        fault == .foreign ? "\(entry.key) never matches: write the international name in its xn-- form" : nil
    }

    /// Any other text that cannot be a host.
    static let malformedKey = shape(
        "lint.malformed-key", title: "The key of an entry cannot be a host", key: "a.example.com "
    ) { fault, entry in
        guard case .malformed(let what) = fault else { return nil }
        return "\"\(entry.key)\" never matches: \(what)"
    }

    /// A rule on the shape of keys. Its two examples differ in the key only.
    private static func shape(
        _ id: String, _ severity: Severity = .error, title: String, confidence: Confidence = .source,
        topic: String = "ports-and-wildcards", key: String,
        words: @escaping @Sendable (KeyFault, LintEntry) -> String?
    ) -> LintRule {
        func example(_ key: String) -> String {
            #"{"NSExceptionDomains": {"\#(key)": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
        }
        return LintRule(
            id, severity, title: title, source: "Apple, NSExceptionDomains; docs/law/domains.md#\(topic)", confidence,
            example: LintExample(found: example(key), silent: example("a.example.com"))
        ) { $0.marks(words) }
    }
}

extension LintEntry {
    /// True if the entry belongs to NSPinnedDomains.
    var isPin: Bool { list == ATSKey.pinnedDomains }
}

import ATSPolicy
import Text

extension LintRule {
    /// Nothing in the system forbids a top-level domain as a key.
    static let topLevelDomain = LintRule(
        "lint.top-level-domain", .warning, title: "An entry is for a whole top-level domain, or for nothing",
        source: "Security, SecProtocolConfiguration.m; docs/law/domains.md#top-level-domains", .source,
        example: LintExample(found: domain("com"), silent: domain("example.com"))
    ) { subject in
        subject.entries.compactMap { entry in
            guard entry.values != nil, entry.fault == nil, !entry.isAddress else { return nil }
            let isWide =
                entry.key.contains(".") ? SharedDomains.registries.contains(entry.key) : !reserved.contains(entry.key)
            guard isWide else { return nil }
            guard entry.includesSubdomains else {
                // A single label is a host of the local network as well.
                return knownTopLevels.contains(entry.key) || entry.key.contains(".")
                    ? LintMark(entry.place, "\(entry.key) matches only a host of exactly that name, nothing below it")
                    : nil
            }
            return LintMark(
                entry.place, "\(entry.key) serves every host below a top-level domain, which belong to everybody")
        }
    }

    /// `0.0.0.0/0` and its like are valid.
    static let catchAllRange = LintRule(
        "lint.catch-all-range", .warning, title: "A range allows cleartext to a large part of all addresses",
        source: "Security, SecProtocolConfigurationTest.m; docs/law/addresses.md#address-keys", .source,
        example: LintExample(found: range("0.0.0.0/0"), silent: range("10.0.0.0/8"), systems: "ios17..")
    ) { subject in
        subject.ranges.compactMap { entry, block in
            let widest = entry.key.contains(":") ? widestV6Bits : widestV4Bits
            guard entry.allowsInsecure, block.prefixBits < widest else { return nil }
            return LintMark(
                entry.place, "\(entry.key) allows cleartext to far more addresses than one network can have")
        }
    }

    /// Cleartext that the host itself forbids, or that the file contradicts.
    static let tlsOnlyHost = LintRule(
        "lint.tls-only-host", .warning, title: "Cleartext is allowed to a host that is meant for https only",
        source: "Apple, NSExceptionAllowsInsecureHTTPLoads; docs/law/keys.md#entry-keys", .inferred,
        example: LintExample(
            found: """
                {"NSExceptionDomains": {"a.example.com": {
                  "NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionMinimumTLSVersion": "TLSv1.3"}}}
                """,
            silent: """
                {"NSExceptionDomains": {"a.example.com": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}
                """)
    ) { subject in
        let pinned = Set(subject.pins.map { $0.key.lowercased() })
        let freed = Set(subject.freedAlready.map(\.key))
        return subject.entries.compactMap { entry in
            guard entry.allowsInsecure, !freed.contains(entry.key) else { return nil }
            let why: String
            if pinned.contains(entry.key) {
                why = "its identity is pinned, which cleartext has none of"
            } else if entry.minimumTLS == .tls13 {
                why = "the same entry asks for TLS 1.3"
            } else if let last = entry.key.split(separator: ".").last, tlsOnlyTopLevels.contains(String(last)) {
                why = ".\(last) is on the browsers' list of https-only domains"
            } else {
                return nil
            }
            return LintMark(
                entry.place(of: ATSKey.insecureHTTP),
                "\(entry.key) allows cleartext, but \(why); to let the app override"
                    + " server trust is all that is left of \(ATSKey.insecureHTTP)")
        }
    }

    private static func domain(_ key: String) -> String {
        """
        {"NSExceptionDomains": {"\(key)": {"NSIncludesSubdomains": true, "NSExceptionRequiresForwardSecrecy": false}}}
        """
    }

    private static func range(_ key: String) -> String {
        #"{"NSExceptionDomains": {"\#(key)": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
    }

    /// Labels that no registry sells names below. Source: RFC 6761, 6762 and 7686, and ICANN's resolution on `internal`
    /// (2024); `lan`, `home` and `corp` by habit. `home.arpa` (RFC 8375) is not among the wide ones either.
    private static let reserved: Set = [
        "corp", "example", "home", "internal", "invalid", "lan", "local", "localhost", "onion", "test",
    ]

    /// Below these no single network begins: RFC 1918 starts with 10.0.0.0/8, unique local addresses with fc00::/7.
    private static let widestV4Bits = 8
    private static let widestV6Bits = 7
    /// Without NSIncludesSubdomains these are surely a mistake; other single labels may be hosts.
    private static let knownTopLevels: Set = ["app", "com", "de", "dev", "edu", "eu", "gov", "io", "net", "org", "uk"]
    /// Top-level domains that browsers take for https only (HSTS preloading). A sample, from memory (inferred): what
    /// ATS makes of it is not known (docs/contradictions.md#open).
    private static let tlsOnlyTopLevels: Set = ["app", "bank", "dev", "foo", "insurance", "new", "page", "zip"]
}

import ATSPolicy
import Text

extension LintRule {
    /// The system accepts a top-level domain as a key.
    static let topLevelDomain = LintRule(
        "lint.top-level-domain", .warning, title: "An entry covers a whole top-level domain, or no host at all",
        source: "Security, SecProtocolConfiguration.m; docs/law/domains.md#top-level-domains", .source,
        example: LintExample(found: domain("com"), silent: domain("example.com"))
    ) { subject in
        subject.entries.compactMap { entry in
            guard entry.values != nil, entry.fault == nil, !entry.isAddress else { return nil }
            let isWide =
                entry.isSingleLabel ? !reserved.contains(entry.key) : SharedDomains.registries.contains(entry.key)
            guard isWide else { return nil }
            guard entry.includesSubdomains else {
                // A single label may also be a host of the local network.
                return knownTopLevels.contains(entry.key) || !entry.isSingleLabel
                    ? LintMark(entry.place, "\(entry.key) matches only a host with exactly that name, no subdomains")
                    : nil
            }
            return LintMark(
                entry.place, "\(entry.key) covers every host of a top-level domain; they belong to many owners")
        }
    }

    /// `0.0.0.0/0` and similar ranges are valid.
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

    /// Cleartext that the host itself forbids, or that contradicts the rest of the file.
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
        let freed = Set(subject.alreadyAllowed.map(\.key))
        return subject.entries.compactMap { entry in
            guard entry.allowsInsecure, !freed.contains(entry.key) else { return nil }
            let why: String
            if pinned.contains(entry.key) {
                why = "its identity is pinned, and cleartext has no certificate to compare"
            } else if entry.minimumTLS == .tls13 {
                why = "the same entry requires TLS 1.3"
            } else if let last = entry.key.utf8.split(separator: UInt8(ascii: ".")).last.map({ Substring($0) }),
                tlsOnlyTopLevels.contains(last)
            {
                why = ".\(last) is on the browsers' list of https-only domains"
            } else {
                return nil
            }
            return LintMark(
                entry.place(of: ATSKey.insecureHTTP),
                "\(entry.key) allows cleartext, but \(why); the only remaining effect of \(ATSKey.insecureHTTP) is"
                    + " that the app can override server trust")
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

    /// Labels under which no registry sells names. Source: RFC 6761, 6762 and 7686, and ICANN's resolution on
    /// `internal` (2024); `lan`, `home` and `corp` by habit. `home.arpa` (RFC 8375) is not among the wide ones either.
    private static let reserved: Set = [
        "corp", "example", "home", "internal", "invalid", "lan", "local", "localhost", "onion", "test",
    ]

    /// No single network has a shorter prefix: RFC 1918 starts with 10.0.0.0/8, unique local addresses with fc00::/7.
    private static let widestV4Bits = 8
    private static let widestV6Bits = 7
    /// Without NSIncludesSubdomains these are certainly mistakes; other single labels may be hosts.
    private static let knownTopLevels: Set = ["app", "com", "de", "dev", "edu", "eu", "gov", "io", "net", "org", "uk"]
    /// Top-level domains that browsers treat as https only (HSTS preloading). A sample, from memory (inferred); how ATS
    /// treats them is not known (docs/contradictions.md#open).
    private static let tlsOnlyTopLevels: Set<Substring> = [
        "app", "bank", "dev", "foo", "insurance", "new", "page", "zip",
    ]
}

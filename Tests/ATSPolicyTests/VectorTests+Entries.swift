import ATSPolicy

/// Vectors for NSExceptionDomains: each key of an entry, and the entry that applies to a name.
extension VectorTests {
    private static func entry(_ entry: PropertyValue) -> PropertyValue { ["NSExceptionDomains": ["a.com": entry]] }

    private static func group(_ section: String, _ members: PropertyValue, http: String, https: String) -> VectorGroup {
        VectorGroup(section, entry(members), "http://a.com \(http)\nhttps://a.com \(https)")
    }

    private static let no = "- - - - - -"
    private static let yes = "+ + + + + +"
    private static let full = "1.2 1.2 1.2 1.2 1.2 1.2"

    static let entryGroups = [
        // An entry makes ATS stricter under NSAllowsArbitraryLoads (source, documented; docs/law/rulings.md#demands,
        // docs/law/keys.md#entry-keys).
        VectorGroup(
            "demands", ["NSAllowsArbitraryLoads": true, "NSExceptionDomains": ["a.com": [:]]],
            """
            http://a.com   \(no)
            https://a.com  \(full)
            http://b.com   \(yes)
            https://b.com  0 0 0 0 0 0
            """),
        group(
            "demands", ["NSExceptionAllowsInsecureHTTPLoads": true], http: yes, https: "1.2i 1.2i 1.2i 1.2i 1.2i 1.2i"),
        group(
            "demands", ["NSExceptionRequiresForwardSecrecy": false], http: no, https: "1.2f 1.2f 1.2f 1.2f 1.2f 1.2f"),
        group(
            "demands", ["NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionRequiresForwardSecrecy": false],
            http: yes, https: "1.2if 1.2if 1.2if 1.2if 1.2if 1.2if"),
        // The floor of 26 is TLS 1.2.
        group("system-floor", ["NSExceptionMinimumTLSVersion": "TLSv1.0"], http: no, https: "1.0 1.0 1.0 1.0 1.2 1.2"),
        group("system-floor", ["NSExceptionMinimumTLSVersion": "TLSv1.1"], http: no, https: "1.1 1.1 1.1 1.1 1.2 1.2"),
        group("entry-keys", ["NSExceptionMinimumTLSVersion": "TLSv1.2"], http: no, https: full),
        // TLS 1.3 came with 12.2. Before, the entry counts, too, and every load fails (docs/law/tls.md#versions).
        group("entry-keys", ["NSExceptionMinimumTLSVersion": "TLSv1.3"], http: no, https: "1.3 1.3 1.3 1.3 1.3 1.3"),
        group("types-of-values", ["NSExceptionMinimumTLSVersion": "TLSV1.3"], http: no, https: full),
        group("types-of-values", ["NSExceptionMinimumTLSVersion": 13], http: no, https: full),
        group(
            "types-of-values", ["NSExceptionRequiresForwardSecrecy": "NO"], http: no, https: "1.2 1.2 1.2 1.2f 1.2 1.2"),
        group("types-of-values", ["NSExceptionAllowsInsecureHTTPLoads": "YES"], http: no, https: full),
        group(
            "1.5", ["NSExceptionAllowsInsecureHTTPLoads": 1], http: "+ + + - + +",
            https: "1.2i 1.2i 1.2i 1.2 1.2i 1.2i"),
        // Older spellings, which have an effect up to 18.3.
        group(
            "1.4", ["NSThirdPartyExceptionAllowsInsecureHTTPLoads": true], http: "+ + + - - -",
            https: "1.2i 1.2i 1.2i 1.2 1.2 1.2"),
        group(
            "1.4", ["NSTemporaryExceptionAllowsInsecureHTTPLoads": true], http: "+ + + - - -",
            https: "1.2i 1.2i 1.2i 1.2 1.2 1.2"),
        group(
            "1.4", ["NSTemporaryThirdPartyExceptionAllowsInsecureHTTPLoads": true], http: "+ + + - - -",
            https: "1.2i 1.2i 1.2i 1.2 1.2 1.2"),
        group(
            "1.4", ["NSThirdPartyExceptionMinimumTLSVersion": "TLSv1.0"], http: no,
            https: "1.0 1.0 1.0 1.2 1.2 1.2"),
        group(
            "1.4", ["NSTemporaryExceptionMinimumTLSVersion": "TLSv1.1"], http: no,
            https: "1.1 1.1 1.1 1.2 1.2 1.2"),
        group(
            "1.4", ["NSTemporaryThirdPartyExceptionRequiresForwardSecrecy": false], http: no,
            https: "1.2f 1.2f 1.2f 1.2 1.2 1.2"),
        group("old-spellings", ["NSExceptionAllowsInsecureHTTPSLoads": true], http: no, https: full),
        group("old-spellings", ["NSExceptionAllowInsecureHTTPLoads": true], http: no, https: full),
        VectorGroup("types of values", entry(""), "http://a.com \(no)\nhttps://a.com \(full)"),
        VectorGroup(
            "types of values", ["NSAllowsArbitraryLoads": true, "NSExceptionDomains": "x"], "http://a.com \(yes)"),
    ]

    private static let insecure: PropertyValue = ["NSExceptionAllowsInsecureHTTPLoads": true]
    private static let names: PropertyValue = [
        "NSExceptionDomains": [
            "example.com": ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true],
            "sub.example.com": ["NSExceptionMinimumTLSVersion": "TLSv1.3"],
            "other.sub.example.com": ["NSExceptionMinimumTLSVersion": "TLSv1.1"],
            "flat.org": insecure, "UPPER.net": insecure, "*.wild.net": insecure, ".dot.net": insecure,
            "port.net:8080": insecure, "https://scheme.net": insecure, "org": ["NSIncludesSubdomains": true],
            "xn--mnchen-3ya.de": insecure,
        ]
    ]

    /// Vectors for matching, with the nested table of Apple's tests. Subdomains match at any depth in every profile
    /// (C1).
    static let nameGroups = [
        VectorGroup(
            "matching, subdomains, golden table", names,
            """
            http://example.com                  \(yes)
            http://a.example.com                \(yes)
            http://b.a.example.com              \(yes)
            http://EXAMPLE.com                  \(yes)
            http://example.com.                 \(no)
            http://notexample.com               \(no)
            http://sub.example.com              \(no)
            https://sub.example.com             1.3 1.3 1.3 1.3 1.3 1.3
            https://other.sub.example.com       1.1 1.1 1.1 1.1 1.2 1.2
            http://other.sub.example.com        \(no)
            http://test.other.sub.example.com   \(yes)
            https://test.other.sub.example.com  1.2i 1.2i 1.2i 1.2i 1.2i 1.2i
            http://flat.org                     \(yes)
            http://a.flat.org                   \(no)
            http://upper.net                    \(no)
            http://a.wild.net                   \(no)
            http://a.dot.net                    \(no)
            http://port.net                     \(no)
            http://scheme.net                   \(no)
            http://xn--mnchen-3ya.de            \(yes)
            https://any.org                     \(full)
            """)
    ]
}

import ATSPolicy
import Testing

/// The entry that applies to a host. Source: Security, SecProtocolConfiguration.m; Apple, NSIncludesSubdomains; Apple,
/// NSPinnedDomains; docs/law/domains.md#matching, docs/law/domains.md#subdomains, docs/law/pinning.md#matching.
struct JudgeMatchingTests {
    private static let domains: PropertyValue = [
        "NSExceptionDomains": [
            "example.com": ["NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true],
            "sealed.example.com": [:],
            "plain.org": ["NSExceptionAllowsInsecureHTTPLoads": true],
            "com": ["NSExceptionAllowsInsecureHTTPLoads": true],
            "UPPER.net": ["NSExceptionAllowsInsecureHTTPLoads": true],
            "test": ["NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true],
        ]
    ]

    @Test(
        "the most specific matching entry decides",
        arguments: [
            ("example.com", "example.com"), ("a.example.com", "example.com"), ("b.a.example.com", "example.com"),
            ("sealed.example.com", "sealed.example.com"), ("x.sealed.example.com", "example.com"),
            ("plain.org", "plain.org"), ("a.plain.org", nil), ("example.com.", nil), ("notexample.com", nil),
            ("com", "com"), ("other.com", nil), ("upper.net", nil), ("UPPER.net", nil), ("a.b.test", "test"),
            ("EXAMPLE.com", "example.com"), ("..", nil), ("", nil),
        ])
    func entry(host: String, entry: String?) throws {
        let verdicts = try Verdicts(Self.domains, host: host, switches: JudgeSwitches(builtInExceptions: false))
        #expect(verdicts.cleartext.basis.entry == entry)
        #expect(verdicts.isCleartextAllowed == (entry != nil && entry != "sealed.example.com"))
    }

    @Test("settings are never merged: a key missing from an entry has its default, not its parent's value")
    func noMerging() throws {
        let verdicts = try Verdicts(Self.domains, host: "sealed.example.com")
        #expect(verdicts.demands?.forwardSecrecy == true && !verdicts.isCleartextAllowed)
        #expect(
            verdicts.cleartext.basis.keyPath
                == "NSAppTransportSecurity.NSExceptionDomains.sealed.example.com")
    }

    @Test("the key path of the deciding key is complete")
    func keyPath() throws {
        #expect(
            try Verdicts(Self.domains, host: "a.example.com").cleartext.basis.keyPath
                == "NSAppTransportSecurity.NSExceptionDomains.example.com.NSExceptionAllowsInsecureHTTPLoads")
    }

    @Test("a note marks a match more than one label deep, because the documentation promises only one (C1)")
    func deepNote() throws {
        #expect(try Verdicts(Self.domains, host: "a.example.com").cleartext.basis.notes.isEmpty)
        #expect(try Verdicts(Self.domains, host: "b.a.example.com").cleartext.basis.notes.count == 1)
        #expect(try Verdicts([:], host: "b.a.apple.com").cleartext.basis.notes.allSatisfy { !$0.contains("C1") })
    }

    @Test("pins reach one label deep and ignore case, and an entry without a list pins nothing")
    func pins() throws {
        let pin: PropertyValue = ["SPKI-SHA256-BASE64": "AA=="]
        let dictionary: PropertyValue = [
            "NSPinnedDomains": [
                "Example.com": ["NSIncludesSubdomains": true, "NSPinnedLeafIdentities": [pin]],
                "one.org": ["NSPinnedCAIdentities": [pin]],
                "none.org": ["NSIncludesSubdomains": true],
            ]
        ]
        for (host, isPinned) in [
            ("example.com", true), ("a.example.com", true), ("a.example.com.", true), ("b.a.example.com", false),
            ("one.org", true), ("a.one.org", false), ("none.org", false), ("other.org", false),
        ] {
            #expect(try Verdicts(dictionary, host: host).demands?.isPinned == isPinned, "\(host)")
        }
    }

    @Test("a pinned host is marked as pinned even if ATS is off")
    func pinnedWithoutATS() throws {
        let verdicts = try Verdicts(
            [
                "NSAllowsArbitraryLoads": true,
                "NSPinnedDomains": ["example.com": ["NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": "AA=="]]]],
            ], host: "example.com")
        #expect(verdicts.demands?.isPinned == true)
        #expect(verdicts.demands?.strictTrust == false && verdicts.demands?.certificateFloor == false)
        #expect(verdicts.offer?.suites == OSProfile.iOS26.systemSuites)
    }
}

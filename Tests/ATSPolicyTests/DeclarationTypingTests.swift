import ATSPolicy
import Testing

/// The values and spellings that have an effect. Source: Apple, NSAppTransportSecurity; Apple, NSExceptionDomains;
/// Apple, Cocoa Keys (archive); docs/law/keys.md.
struct DeclarationTypingTests {
    @Test(
        "a Boolean is true, false or absent",
        arguments: [
            (PropertyValue.boolean(true), Bool?.some(true), Bool?.some(true)),
            (.boolean(false), false, false),
            (.integer(1), true, false),
            (.real(1), true, false),
            (.integer(0), false, false),
            (.integer(2), false, false),
            (.string("YES"), nil, false),
            (.array([]), nil, false),
        ])
    func triState(value: PropertyValue, since18_5: Bool?, on18_4: Bool?) throws {
        let read = try declaration(["NSAllowsArbitraryLoads": value])
        #expect(read.interpreted(for: .iOS26).allowsArbitraryLoads == since18_5)
        #expect(read.interpreted(for: .iOS18_4).allowsArbitraryLoads == on18_4)
        #expect(try declaration([:]).interpreted(for: .iOS18_4).allowsArbitraryLoads == nil)
    }

    @Test("a string for a sibling key does not turn NSAllowsArbitraryLoads off")
    func stringIsNoPresence() throws {
        let dictionary: PropertyValue = [
            "NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": "YES",
        ]
        #expect(try Verdicts(dictionary, host: "example.com").isCleartextAllowed)
        #expect(try !Verdicts(dictionary, host: "example.com", profile: .iOS18_4).isCleartextAllowed)
    }

    @Test(
        "a minimum version counts only with Apple's exact spelling",
        arguments: [
            (PropertyValue.string("TLSv1.0"), TLSVersion?.some(.tls10)), ("TLSv1.1", .tls11), ("TLSv1.2", .tls12),
            ("TLSv1.3", .tls13), ("TLSV1.3", nil), ("tlsv1.3", nil), ("1.2", nil), ("TLSv1.4", nil),
            ("TLSv1.3 ", nil), (13, nil), (1.3, nil), ("DTLSv1.2", nil),
        ])
    func minimumVersion(value: PropertyValue, expected: TLSVersion?) throws {
        let read = try declaration(["NSExceptionDomains": ["a.com": ["NSExceptionMinimumTLSVersion": value]]])
        #expect(read.interpreted(for: .iOS26).exceptions["a.com"]?.minimumTLS == expected)
    }

    @Test("an NSExceptionDomains that is not a dictionary has no entries")
    func noList() throws {
        let none = try declaration(["NSExceptionDomains": "a.com"])
        #expect(none.interpreted(for: .iOS26).exceptions.isEmpty)
    }

    @Test(
        "misspelled global keys have no effect",
        arguments: [
            "NSAllowArbitraryLoads", "nsallowsarbitraryloads", "NSAllowsArbitraryLoadsInMedia", "NSExceptionDomain",
            "NSIncludesSubdomains", "SomethingElse",
        ])
    func wrongGlobalName(key: String) throws {
        let read = try declaration(.dictionary([PropertyMember(key: key, keyLine: 9, node: PropertyNode(true))]))
        let judge = Judge(declaration: read, profile: .iOS26)
        #expect(judge.rule(on: LoadTarget(scheme: .http, host: "a.com", port: 80), loader: .media).denial != nil)
    }

    @Test(
        "older and misspelled entry keys have no effect on iOS 26",
        arguments: [
            "NSThirdPartyExceptionAllowsInsecureHTTPLoads", "NSTemporaryExceptionAllowsInsecureHTTPLoads",
            "NSTemporaryThirdPartyExceptionAllowsInsecureHTTPLoads", "NSExceptionAllowsInsecureHTTPSLoads",
            "NSExceptionAllowInsecureHTTPLoads",
        ])
    func wrongEntryName(key: String) throws {
        let entry = PropertyValue.dictionary([PropertyMember(key: key, node: PropertyNode(true))])
        #expect(try !Verdicts(["NSExceptionDomains": ["a.com": entry]], host: "a.com").isCleartextAllowed)
    }

    @Test(
        "keys that no host can match allow nothing",
        arguments: [
            "*.example.com", ".example.com", "example.com:8080", "http://example.com", "Example.com", "bücher.example",
            "example.com.",
        ])
    func keyShape(key: String) throws {
        let dictionary: PropertyValue = [
            "NSExceptionDomains": .dictionary([
                PropertyMember(key: key, node: PropertyNode(["NSExceptionAllowsInsecureHTTPLoads": true]))
            ])
        ]
        #expect(try !Verdicts(dictionary, host: "example.com").isCleartextAllowed)
    }
}

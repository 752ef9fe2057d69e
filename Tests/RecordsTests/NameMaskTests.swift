import ATSPolicy
import Records
import Testing
import Text

@Suite("Masked names")
struct NameMaskTests {
    private let key = KeyedHash(1, 2)

    private func mask(_ patterns: String...) -> NameMask { NameMask(patterns.compactMap { MaskPattern($0) }, key: key) }

    @Test func starIsReplacedAndTheRestStays() {
        let names = mask("*.example.com")
        let host = names.host("api.cdn.example.com")
        #expect(host.hasSuffix(".example.com"))
        #expect(host.split(separator: ".").count == 4)
        #expect(!host.contains("api") && !host.contains("cdn"))
        #expect(host.hasSuffix("." + names.host("cdn.example.com")))
        #expect(names.host("example.com") == "example.com")
        #expect(names.host("example.org") == "example.org")
    }

    @Test func patternWithoutStarHidesAll() {
        let host = mask("api.example.com").host("API.example.com")
        #expect(host.hasSuffix(".example"))
        #expect(host.split(separator: ".").count == 3)
        #expect(!host.contains("com") && !host.contains("api"))
    }

    @Test func tokenIsNotMaskedAgain() {
        for names in [mask("*"), mask("*.example.com"), .everything(key: key)] {
            let once = names.host("api.example.com")
            #expect(names.host(once) == once)
        }
    }

    @Test func anotherKeyGivesOtherTokens() {
        let other = NameMask([.everyHost], key: KeyedHash(3, 4))
        #expect(other.host("api.example.com") != mask("*").host("api.example.com"))
    }

    @Test(
        "addresses keep their kind and their net",
        arguments: ["10.1.2.3", "192.168.7.9", "172.20.0.1", "100.64.1.1", "2001:db8::7"])
    func addresses(text: String) throws {
        let names = mask("*")
        let masked = try #require(IPAddress(names.host(text)))
        #expect(masked.description != text)
        #expect(masked.description.first == text.first)
    }

    @Test("a public address becomes one that no host has, and its network stays together")
    func publicAddresses() throws {
        let names = mask("*")
        for (text, other) in [("17.253.1.1", "17.253.1.9"), ("149.154.171.5", "149.154.171.6")] {
            let masked = try [text, other].map { try #require(IPAddress(names.host($0))).description }
            let reserved = try #require(AddressBlock("240.0.0.0/4"))
            for one in masked { #expect(reserved.contains(try #require(IPAddress(one)))) }
            #expect(masked[0] != masked[1])
            let networks = masked.map { $0.split(separator: ".").prefix(3) }
            #expect(networks[0] == networks[1])
        }
        #expect(names.host("2606:4700::1").hasPrefix("2001:db8:"))
    }

    @Test("names of the local machine are not masked", arguments: ["127.0.0.1", "::1", "localhost"])
    func machine(text: String) {
        #expect(NameMask.everything(key: key).host(text) == text)
    }

    @Test func emptyPatternsAreRefused() {
        for text in ["", "/", "/a/**/b", "a b", "*.*"] { #expect(MaskPattern(text) == nil, "\(text)") }
    }

    @Test func dictionaryHasTheTokensOfTheLoads() throws {
        let names = mask("*.example.com")
        let masked = Self.entries(of: names.declaration(try Self.declaration("api.example.com")))
        #expect(masked.map(\.key) == [names.host("api.example.com")])
        #expect(masked.first?.keyLine == 3)
    }

    @Test("entries keep the plain names of loads that are older than the patterns")
    func olderLoads() throws {
        let names = mask("*")
        let dictionary = try Self.declaration("example.com", "example.org")
        let (com, org) = (names.host("example.com"), names.host("example.org"))
        func entries(_ hosts: String...) -> [String] {
            Self.entries(of: names.declaration(dictionary, meeting: hosts)).map(\.key)
        }
        #expect(entries("api.example.com", "other.test") == ["example.com", "example.org"])
        #expect(entries(names.host("api.example.com")) == [com, org])
        #expect(entries("api.example.com", org) == ["example.com", com, org])
        #expect(entries("127.0.0.1") == [com, org] && entries() == [com, org])
        let both = names.declaration(dictionary, meeting: ["api.example.com", org])
        #expect(Self.entries(of: names.declaration(both)).map(\.key) == [com, org])
    }

    private static func declaration(_ names: String...) throws -> Declaration {
        let entries = names.map { name in
            PropertyMember(
                key: name, keyLine: 3,
                node: PropertyNode(
                    .dictionary([
                        PropertyMember(key: "NSExceptionAllowsInsecureHTTPLoads", node: PropertyNode(.boolean(true)))
                    ])))
        }
        let root = PropertyNode(
            .dictionary([
                PropertyMember(
                    key: "NSAppTransportSecurity",
                    node: PropertyNode(
                        .dictionary([
                            PropertyMember(key: "NSExceptionDomains", node: PropertyNode(.dictionary(entries)))
                        ])))
            ]))
        return try Declaration(root: root, source: "Info.plist")
    }

    private static func entries(of declaration: Declaration) -> [PropertyMember] { declaration.entries }

    @Test("of a response that is not TLS only the fact that it was HTTP is kept")
    func firstBytes() {
        for names in [NameMask([.everyHost], key: key), .everything(key: key)] {
            for (text, kept) in [("HTTP/1.1 secret", "HTTP/"), ("220 secret.test", "")] {
                let handshake = RecordedHandshake(facts: nil, failure: .notTLS(Array(text.utf8)))
                #expect(names.handshake(handshake, of: "a.test").failure == .notTLS(Array(kept.utf8)))
            }
        }
    }
}

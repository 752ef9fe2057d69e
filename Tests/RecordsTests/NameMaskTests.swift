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

    @Test("global addresses of IPv6 become documented ones that all differ; others keep their kind")
    func addressesOfVersion6() throws {
        let names = mask("*")
        let masked = (0..<16).map { names.host("2606:4700::\(String($0, radix: 16))") }
        #expect(Set(masked).count == 16)
        for (text, block) in [("2606:4700::1", "2001:db8::/32"), ("fe80::1", "fe80::/10"), ("fd00::1", "fc00::/7")] {
            let address = try #require(IPAddress(names.host(text)))
            #expect(try #require(AddressBlock(block)).contains(address) && address.description != text)
        }
        let linkLocal = try #require(AddressBlock("fe80::/10"))
        for number in 0..<16 as Range<UInt64> {
            let names = NameMask([.everyHost], key: KeyedHash(number, 7))
            #expect(linkLocal.contains(try #require(IPAddress(names.host("fe80::1")))))
        }
    }

    @Test("the range of an entry is masked, and its length stays")
    func ranges() throws {
        let masked = Self.entries(of: mask("*").declaration(try Self.declaration("10.1.0.0/16", "10.1.0.0/x")))
        let parts = try #require(masked.first).key.split(separator: "/")
        #expect(parts.last == "16" && parts[0] != "10.1.0.0" && parts[0].hasPrefix("10."))
    }

    @Test("a certificate's wildcard is masked if it covers a hidden host")
    func wildcards() {
        let names = mask("api.example.com")
        #expect(!names.host("*.example.com").contains("example.com"))
        #expect(names.host("*.other.test") == "*.other.test" && names.host("www.example.com") == "www.example.com")
    }

    @Test("a single label gets a token, and the last of several the reserved name")
    func singleLabel() {
        let names = mask("*")
        #expect(names.host("printer") != "printer" && names.host("printer") != "example")
        #expect(names.host("printer") != names.host("nas") && names.host("a.test").hasSuffix(".example"))
    }

    @Test(
        "in a sentence, paths end before their query and punctuation, and words without hosts stay",
        arguments: [
            ("GET /users/alice, then /users/bob.", "GET /users/T, then /users/T."),
            ("GET /users/alice?a=b.c#d failed", "GET /users/T?a=b.c#d failed"),
            ("GET /users/alice#d failed", "GET /users/T#d failed"), ("std::__1::thread", "std::__1::thread"),
        ])
    func sentences(text: String, expected: String) {
        let masked = mask("*", "/users/*").sentence(text)
        #expect(masked.replacing(/masked-[a-z0-9]{8}/, with: "T") == expected)
    }

    @Test("with everything hidden, a sentence's path has no query, and keeps punctuation after it")
    func hiddenPaths() {
        let names = NameMask.everything(key: key)
        func masked(_ text: String) -> String {
            names.sentence(text).replacing(/masked-[a-z0-9]{8}/, with: "T")
        }
        #expect(masked("GET /users/alice, then") == "GET /T/T, then")
        #expect(masked("GET /users/alice?secret then") == "GET /T/T?*** then")
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

import ATSPolicy
import Declarations
import Diagnosis
import Foundation
import Testing

@Suite("lint rules")
struct LintRuleTests {
    private func ids(_ json: String, systems: String? = nil, within app: String? = nil) throws -> [String] {
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "example.json")
        let app = try app.map { try DeclarationReader.parse(Array($0.utf8), source: "app.json") }
        return Linter(systems: systems.flatMap(SystemRange.init)).lint(declaration, within: app).findings.map(\.rule)
    }

    @Test("each rule finds its wrong example and not its correct one", arguments: LintBook.rules.map(\.id))
    func example(id: String) throws {
        let rule = try #require(LintBook.rules.first { $0.id == id })
        let example = rule.example
        #expect(try ids(example.found, systems: example.systems, within: example.app).contains(id))
        #expect(try !ids(example.silent, systems: example.systems, within: example.app).contains(id))
    }

    @Test("ids are unique and in kebab case after lint., and every rule has a title and a source")
    func identity() {
        #expect(Set(LintBook.rules.map(\.id)).count == LintBook.rules.count)
        for rule in LintBook.rules {
            #expect(rule.id.wholeMatch(of: /lint\.[a-z0-9]+(-[a-z0-9]+)*/) != nil)
            #expect(!rule.title.isEmpty && PublicDocument(citedFirstIn: rule.source) != nil)
            #expect(PublicDocument.topic(of: rule.source)?.hasPrefix("docs/law/") == true)
        }
        #expect(LintBook.words.split(separator: "\n").count == 2 * LintBook.all.count)
    }

    @Test(
        "the sample dictionaries have no findings",
        arguments: ["strict.plist", "react-native.plist", "local-networking.plist"])
    func silence(name: String) throws {
        let path = Corpus.top.appending(path: "config/dictionaries/" + name).path
        let declaration = try DeclarationReader.readOne(path: path)
        #expect(Linter().lint(declaration).findings.isEmpty)
    }

    /// The dictionaries shown on Apple's pages about the keys. Source: Apple, NSAppTransportSecurity; Apple,
    /// NSExceptionDomains; Apple, NSPinnedDomains; docs/law/keys.md#global-keys, docs/law/keys.md#entry-keys,
    /// docs/law/pinning.md (A1, A2).
    @Test(
        "dictionaries from Apple's own pages give no errors, and no warning except that ATS is off",
        arguments: [
            #"{"NSExceptionDomains": {"example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#,
            """
            {"NSExceptionDomains": {"example.com": {"NSIncludesSubdomains": true,
              "NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionMinimumTLSVersion": "TLSv1.2",
              "NSExceptionRequiresForwardSecrecy": false}}}
            """,
            """
            {"NSAllowsArbitraryLoads": true,
             "NSExceptionDomains": {"example.com": {"NSExceptionAllowsInsecureHTTPLoads": false}}}
            """,
            """
            {"NSPinnedDomains": {"example.org": {"NSIncludesSubdomains": true, "NSPinnedCAIdentities": [
              {"SPKI-SHA256-BASE64": "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="}]}}}
            """,
            #"{"NSAllowsArbitraryLoadsForMedia": true}"#, #"{"NSAllowsArbitraryLoadsInWebContent": true}"#,
            #"{"NSAllowsArbitraryLoads": true}"#, #"{"NSAllowsLocalNetworking": true}"#, "{}",
            """
            {"NSExceptionDomains": {"192.0.2.0/24": {"NSExceptionAllowsInsecureHTTPLoads": true},
              "2001:db8::/32": {"NSExceptionAllowsInsecureHTTPLoads": true}}}
            """,
        ])
    func sampleShapes(json: String) throws {
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "sample.json")
        let loud = Linter().lint(declaration).findings.filter {
            $0.severity > .note && $0.rule != "lint.arbitrary-loads"
        }
        #expect(loud.isEmpty)
    }

    @Test("one dictionary for iOS 9 and 10, as Apple's page advises, gives a note if iOS 9 is in the range")
    func oldAndNew() throws {
        let json = #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": true}"#
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "a.json")
        let find = { (systems: String) in
            Linter(systems: SystemRange(systems)).lint(declaration).findings.first { $0.rule.contains("neutralised") }
        }
        #expect(find("ios9..ios26")?.severity == .note)
        #expect(find("ios10..")?.severity == .error)
        #expect(find("ios9") == nil)
    }

    @Test(
        "a finding depends on the range of releases",
        arguments: [
            (#"{"a.com": {"NSExceptionMinimumTLSVersion": "TLSv1.0"}}"#, "ios18.4", "lint.minimum-tls-void", false),
            (#"{"a.com": {"NSExceptionMinimumTLSVersion": "TLSv1.0"}}"#, "ios17..ios26", "lint.minimum-tls-void", true),
            (#"{"a.com": {"NSThirdPartyExceptionMinimumTLSVersion": "x"}}"#, "ios9..ios18.3", "lint.legacy-key", false),
            (#"{"a.com": {"NSThirdPartyExceptionMinimumTLSVersion": "x"}}"#, "macos15.4", "lint.legacy-key", true),
            (#"{"203.0.113.1": {}}"#, "macos10.11..macos26", "lint.address-too-old", true),
            (#"{"203.0.113.1": {}}"#, "macos10.12..macos26", "lint.address-too-old", false),
            (#"{"localhost": {"NSExceptionAllowsInsecureHTTPLoads": true}}"#, "ios9", "lint.local-exception", false),
            (#"{"localhost": {"NSExceptionAllowsInsecureHTTPLoads": true}}"#, "ios10..", "lint.local-exception", true),
            (#"{"127.0.0.1": {"NSExceptionAllowsInsecureHTTPLoads": true}}"#, "ios17", "lint.local-exception", false),
            (
                #"{"10.0.0.0/7": {"NSExceptionAllowsInsecureHTTPLoads": true}}"#, "ios17..", "lint.local-exception",
                false
            ),
            (#"{"a.com": {"NSTemporaryExceptionMinimumTLSVersion": "1.0"}}"#, "ios17", "lint.minimum-tls-text", true),
            (#"{"a.com": {"NSTemporaryExceptionMinimumTLSVersion": "1.0"}}"#, "ios26", "lint.minimum-tls-text", false),
        ])
    func systems(entries: String, systems: String, rule: String, isFound: Bool) throws {
        #expect(try ids("{\"NSExceptionDomains\": \(entries)}", systems: systems).contains(rule) == isFound)
    }

    @Test("keys of pinned domains have their own rules: case is ignored, and addresses are not names")
    func pinKeys() throws {
        let pin = #"{"NSPinnedLeafIdentities": [{"SPKI-SHA256-BASE64": "AAAA"}]}"#
        let found = try ids(#"{"NSPinnedDomains": {"API.example.com": \#(pin), "10.0.0.0/8": \#(pin)}}"#)
        #expect(!found.contains("lint.upper-case-key"))
        #expect(found.contains("lint.pinned-address"))
    }

    /// Source of the expected results: Security, SecProtocolConfiguration.m; docs/law/domains.md#matching,
    /// docs/law/addresses.md#address-keys.
    @Test(
        "a key that lint reports as an error has no effect in the judge either",
        arguments: [
            ("https://a.example.com", "http://a.example.com/"), ("a.example.com/api", "http://a.example.com/api"),
            ("*.example.com", "http://a.example.com/"), (".example.com", "http://a.example.com/"),
            ("a.example.com:8080", "http://a.example.com:8080/"), ("API.example.com", "http://API.example.com/"),
            ("203.0.113.0/33", "http://203.0.113.1/"), ("198.51.100.100/32", "http://198.51.100.100/"),
            ("203.0.113.0/08", "http://203.0.113.1/"), ("[2001:db8::1]", "http://[2001:db8::1]/"),
        ])
    func deadKeys(key: String, url: String) throws {
        let json = #"{"NSExceptionDomains": {"\#(key)": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "a.json")
        #expect(Linter().lint(declaration).findings.contains { $0.severity == .error })
        let judge = Judge(declaration: declaration, profile: .iOS26)
        #expect(try !Explanation(url: url, judge: judge, loader: .app).isPermitted)
    }

    @Test(
        "an entry gives no other findings than these",
        arguments: [
            (#"{"NSAllowsArbitraryLoads": false, "NSAllowsLocalNetworking": true}"#, []),
            (
                #"{"NSExceptionDomains": {"localhost": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#,
                ["justification", "local-exception"]
            ),
            (
                """
                {"NSExceptionDomains": {"a.com": {"NSExceptionAllowsInsecureHTTPLoads": true},
                 "b.com": {"NSExceptionAllowsInsecureHTTPLoads": true}}}
                """, ["justification"]
            ),
            (
                """
                {"NSAllowsArbitraryLoads": true, "NSExceptionDomains": {"provenance.app": {
                 "NSExceptionAllowsInsecureHTTPLoads": true}}}
                """, ["arbitrary-loads", "justification", "insecure-under-arbitrary-loads"]
            ),
            (#"{"NSExceptionDomains": {"a.com": {"NSExceptionMinimumTLSVersion": "TLSv1.0"}}}"#, ["minimum-tls-void"]),
            (
                #"{"NSExceptionDomains": {"localhost": {"NSTemporaryExceptionAllowsInsecureHTTPLoads": true}}}"#,
                ["legacy-key"]
            ),
            (#"{"NSExceptionDomains": {"a.com": {"NSThirdPartyExceptionMinimumTLSVersion": "TLSv1.2"}}}"#, []),
            (
                #"{"NSExceptionDomains": {"onion": {"NSIncludesSubdomains": true, "NSExceptionRequiresForwardSecrecy": false}}}"#,
                []
            ),
        ] as [(String, [String])])
    func quiet(json: String, expected: [String]) throws {
        #expect(try ids(json).sorted() == expected.map { "lint." + $0 }.sorted())
    }

    @Test("a finding about an old spelling names the entry's effect on releases that ignore it")
    func legacy() throws {
        let entry = #""NSExceptionDomains": {"a.com": {"NSTemporaryExceptionAllowsInsecureHTTPLoads": true}}"#
        for (json, words) in [
            ("{\(entry)}", ", where a.com has the defaults; write"),
            (#"{"NSAllowsArbitraryLoads": true, \#(entry)}"#, ", where the entry only makes ATS stricter"),
        ] {
            let declaration = try DeclarationReader.parse(Array(json.utf8), source: "a.json")
            let finding = Linter().lint(declaration).findings.first { $0.rule == "lint.legacy-key" }
            #expect(finding?.severity == .warning && finding?.sentence.contains(words) == true)
        }
    }

    @Test("one note lists all hosts that need a justification, and has a draft text only on request")
    func justification() throws {
        let json = """
            {"NSAllowsArbitraryLoadsForMedia": true, "NSExceptionDomains": {
              \((1...7).map { #""h\#($0).example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}"# }.joined(separator: ", "))}}
            """
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "a.json")
        func justification(_ linter: Linter) -> LintFinding? {
            linter.lint(declaration).findings.first { $0.rule == "lint.justification" }
        }
        let short = try #require(justification(Linter()))
        #expect(
            short.sentence
                == "App Store review requires a justification for: NSAllowsArbitraryLoadsForMedia;"
                + " NSExceptionAllowsInsecureHTTPLoads for h1.example.com, h2.example.com, h3.example.com, h4.example.com,"
                + " h5.example.com and 2 more")
        let long = justification(Linter(showsJustifications: true))?.sentence
        #expect(long?.contains("draft for NSAllowsArbitraryLoadsForMedia: \"The app plays media") == true)
    }

    @Test("a finding about an ignored NSAllowsArbitraryLoads has the effect and the fix")
    func neutralised() throws {
        let json = #"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true}"#
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "a.json")
        #expect(
            Linter().lint(declaration).findings.map(\.sentence) == [
                "NSAllowsArbitraryLoads is ignored on iOS 10 and later, because NSAllowsLocalNetworking is present: ATS"
                    + " applies to every host without an entry except local hosts; delete NSAllowsArbitraryLoads, and"
                    + " add an entry of NSExceptionDomains for each host that needs one"
            ])
    }

    @Test("that ATS is off is the first finding of a file, a warning, and an error if warnings are errors")
    func off() throws {
        let json = """
            {"NSExceptionDomains": {"*.a.com": {}},
             "NSAllowsArbitraryLoads": true}
            """
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "a.json")
        let file = Linter().lint(declaration)
        let first = try #require(file.findings.first)
        #expect(first.rule == "lint.arbitrary-loads" && first.line == 2 && first.severity == .warning)
        #expect(first.sentence.hasPrefix("ATS is off for every host without an entry"))
        #expect(file.located(in: json + "<!-- atsgate:disable x -->").findings.first?.rule == first.rule)
        #expect(LintReport(files: [file]).strict.files[0].findings[0].severity == .error)
    }

    @Test(
        "a sibling key that counts in a release turns the warning off",
        arguments: [("ios9..", false), ("ios10..", false), ("ios9", true)])
    func siblings(systems: String, isFound: Bool) throws {
        let json = #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": true}"#
        #expect(try ids(json, systems: systems).contains("lint.arbitrary-loads") == isFound)
    }

    @Test("an entry for a local host is judged by the releases: names from 10 on, addresses from 18.4 on")
    func local() throws {
        let json = """
            {"NSExceptionDomains": {"localhost": {"NSExceptionAllowsInsecureHTTPLoads": true},
             "127.0.0.1": {"NSExceptionAllowsInsecureHTTPLoads": true}}}
            """
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "a.json")
        func sentence(_ systems: String) -> String? {
            Linter(systems: SystemRange(systems)).lint(declaration).findings.first {
                $0.rule == "lint.local-exception"
            }?
            .sentence
        }
        #expect(
            sentence("ios9..")?.hasPrefix(
                "http to localhost needs no entry on iOS 10 and later, http to 127.0.0.1 needs no entry on iOS 18.4 and"
                    + " later; ") == true)
        #expect(sentence("ios17")?.hasPrefix("http to localhost needs no entry; ") == true)
        #expect(sentence("macos15.4..")?.hasPrefix("http to localhost, 127.0.0.1 needs no entry; ") == true)
    }

    @Test(
        "a pin that no key has is an error",
        arguments: [
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "32 zero bytes"),
            ("BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=", "a placeholder"),
            ("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "the SHA-256 of no bytes"),
        ])
    func placeholders(pin: String, words: String) throws {
        let json = #"{"NSPinnedDomains": {"a.com": {"NSPinnedCAIdentities": [{"SPKI-SHA256-BASE64": "\#(pin)"}]}}}"#
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "a.json")
        let finding = Linter().lint(declaration).findings.first { $0.rule == "lint.placeholder-pin" }
        #expect(finding?.severity == .error && finding?.sentence.contains("is \(words): no key has it") == true)
    }

    @Test("an extension is compared with its app: global keys, and hosts of entries")
    func extensions() throws {
        let app = """
            {"NSAllowsArbitraryLoadsInWebContent": true, "NSExceptionDomains": {
              "a.com": {"NSExceptionAllowsInsecureHTTPLoads": true}, "b.com": {"NSExceptionMinimumTLSVersion": "TLSv1.3"},
              "c.com": {"NSExceptionRequiresForwardSecrecy": false}}}
            """
        func sentence(_ own: String) throws -> String? {
            let declaration = try DeclarationReader.parse(Array(own.utf8), source: "a.json")
            let outer = try DeclarationReader.parse(Array(app.utf8), source: "app.json")
            return Linter().lint(declaration, within: outer).findings
                .first { $0.rule == "lint.extension-without-exception" }?.sentence
        }
        #expect(try sentence("{}")?.contains(": NSAllowsArbitraryLoadsInWebContent, a.com, c.com; ") == true)
        #expect(try sentence(#"{"NSAllowsArbitraryLoads": true}"#) == nil)
        #expect(try sentence(app) == nil)
    }
}

import ATSPolicy
import Declarations
import Diagnosis
import Foundation
import Testing

@Suite("lint rules")
struct LintRuleTests {
    private func ids(_ json: String, systems: String? = nil) throws -> [String] {
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "example.json")
        return Linter(systems: systems.flatMap(SystemRange.init)).lint(declaration).findings.map(\.rule)
    }

    @Test("each rule finds its wrong example and not its correct one", arguments: LintBook.rules.map(\.id))
    func example(id: String) throws {
        let rule = try #require(LintBook.rules.first { $0.id == id })
        #expect(try ids(rule.example.found, systems: rule.example.systems).contains(id))
        #expect(try !ids(rule.example.silent, systems: rule.example.systems).contains(id))
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
        "dictionaries from Apple's own pages give neither errors nor warnings",
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
        let loud = Linter().lint(declaration).findings.filter { $0.severity > .note }
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
            (#"{"localhost": {"NSExceptionAllowsInsecureHTTPLoads": true}}"#, "ios9..", "lint.local-exception", false),
            (#"{"localhost": {"NSExceptionAllowsInsecureHTTPLoads": true}}"#, "ios10..", "lint.local-exception", true),
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
        "correct entries, and entries that a finding already proposes to delete, give no further findings",
        arguments: [
            (#"{"NSAllowsArbitraryLoads": false, "NSAllowsLocalNetworking": true}"#, []),
            (
                #"{"NSExceptionDomains": {"localhost": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#,
                ["local-exception"]
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
                """, ["justification", "insecure-under-arbitrary-loads"]
            ),
            (#"{"NSExceptionDomains": {"a.com": {"NSExceptionMinimumTLSVersion": "TLSv1.0"}}}"#, ["minimum-tls-void"]),
            (
                #"{"NSExceptionDomains": {"localhost": {"NSTemporaryExceptionAllowsInsecureHTTPLoads": true}}}"#,
                ["local-exception"]
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
        let short = try #require(Linter().lint(declaration).findings.first)
        #expect(
            short.sentence
                == "App Store review requires a justification for: NSAllowsArbitraryLoadsForMedia;"
                + " NSExceptionAllowsInsecureHTTPLoads for h1.example.com, h2.example.com, h3.example.com, h4.example.com,"
                + " h5.example.com and 2 more")
        let long = Linter(showsJustifications: true).lint(declaration).findings.first?.sentence
        #expect(long?.contains("draft for NSAllowsArbitraryLoadsForMedia: \"The app plays media") == true)
    }

    @Test("a finding about an ignored NSAllowsArbitraryLoads has the effect and the fix")
    func neutralised() throws {
        let json = #"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true}"#
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "a.json")
        #expect(
            Linter().lint(declaration).findings.map(\.sentence) == [
                "NSAllowsArbitraryLoads is ignored on iOS 10 and later, because NSAllowsLocalNetworking is present: ATS"
                    + " applies to every host without an entry except local hosts; delete NSAllowsArbitraryLoads if"
                    + " that is intended, else delete NSAllowsLocalNetworking"
            ])
    }
}

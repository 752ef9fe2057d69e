import ATSPolicy
import Diagnosis
import Testing

struct ExplanationTests {
    private func declaration(_ members: [PropertyMember]) throws -> Declaration {
        try Declaration(root: PropertyNode(.dictionary(members)), source: "Info.plist")
    }

    private func explain(
        _ url: String, _ members: [PropertyMember] = [], loader: Loader = .app, profile: OSProfile = .iOS26
    ) throws -> Explanation {
        let judge = Judge(declaration: try declaration(members), profile: profile)
        return try Explanation(url: url, judge: judge, loader: loader)
    }

    private let local = PropertyMember(key: "NSAllowsLocalNetworking", node: PropertyNode(.boolean(false)))

    private let general = PropertyMember(key: "NSAllowsArbitraryLoads", node: PropertyNode(.boolean(false)))

    @Test("the JSON of a denial has every key in order")
    func denialJSON() throws {
        let explanation = try explain("http://a.com/\"x", [general])
        #expect(
            explanation.json == """
                {"url":"http://a.com/\\"x","os":"ios26","loader":"app","ruling":"deny","rule":"ats.cleartext-load",\
                "keyPath":"NSAppTransportSecurity.NSAllowsArbitraryLoads","entry":null,"builtIn":false,"local":false,\
                "demands":null,"notes":[]}
                """)
        #expect(!explanation.isPermitted)
    }

    @Test("the JSON of a permit lists the suites by IANA name")
    func permitJSON() throws {
        let explanation = try explain("https://apple.com", loader: .web, profile: .iOS18_4)
        let suites = OSProfile.iOS18_4.systemSuites.map { "\"\($0.name)\"" }.joined(separator: ",")
        #expect(
            explanation.json == """
                {"url":"https://apple.com","os":"ios18.4","loader":"web","ruling":"permit","rule":null,"keyPath":null,\
                "entry":"apple.com","builtIn":true,"local":false,"demands":{"minimumTLS":"1.2","forwardSecrecy":false,\
                "strictTrust":false,"certificateFloor":true,"suites":[\(suites)],"pinned":false},\
                "notes":["apple.com is one of the exceptions built into the system \
                (docs/law/keys.md#built-in-exceptions).",\
                "With --reading key-size-without-pfs=off (C4), --reading certificate-scope=leaf (C5), \
                --reading suite-list=documented (C6), --reading cbc-sha2=on (C6) \
                or --reading insecure-trust=any (C10) the TLS requirements differ.",\
                "With --reading untrusted-root-code=9807 (C15) a failure has another error code."]}
                """)
    }

    @Test("https to a local host has no demands")
    func localJSON() throws {
        let json = try explain("https://printer.local").json
        #expect(json.contains("\"local\":true,\"demands\":null"))
    }

    @Test("lint findings about the deciding entry become notes; findings about other entries do not")
    func problems() throws {
        func entry(_ host: String, _ key: String, _ value: PropertyValue) -> PropertyMember {
            let setting = PropertyMember(key: key, node: PropertyNode(value))
            return PropertyMember(key: host, node: PropertyNode(.dictionary([setting])))
        }
        let entries = PropertyValue.dictionary([
            entry("a.com", "NSTemporaryExceptionAllowsInsecureHTTPLoads", .boolean(true)),
            entry("b.com", "NSExceptionMinimumTLSVersion", .string("1.2")),
        ])
        let members = [
            PropertyMember(key: "NSExceptionDomains", node: PropertyNode(entries)),
            PropertyMember(key: "NSAllowArbitraryLoads", node: PropertyNode(.boolean(true))),
        ]
        let rules = ["lint.legacy-key", "lint.minimum-tls-text", "lint.unknown-key"]
        for (host, rule) in zip(["a.com", "b.com", "c.com"], rules) {
            let notes = try explain("https://\(host)/", members).notes
            let cited = rules.filter { rule in notes.contains { $0.hasSuffix(" (\(rule)).") } }
            #expect(cited == [rule], "\(host): \(notes)")
        }
    }

    @Test("the text of a denial has the reason, the key and the smallest fix")
    func denialWords() throws {
        let words = try explain("http://a.com/").words()
        #expect(
            words == """
                http://a.com/
                  blocked    on iOS 26, requested by the app: ats.cleartext-load
                  because    no key of the dictionary covers this host, so the secure defaults apply
                  fix        Serve it over https, and request https:// in the app.
                  fix        Add an entry a.com to NSExceptionDomains and set NSExceptionAllowsInsecureHTTPLoads to true in it.
                  plist      <key>NSAppTransportSecurity</key>
                             <dict>
                               <key>NSExceptionDomains</key>
                               <dict>
                                 <key>a.com</key>
                                 <dict>
                                   <key>NSExceptionAllowsInsecureHTTPLoads</key>
                                   <true/>
                                 </dict>
                               </dict>
                             </dict>
                """)
        #expect(try explain("http://printer/", [local]).fixes.last == "Set NSAllowsLocalNetworking to true.")
    }

    @Test("the text of a permit lists the requirements; suites and basis are added with verbose")
    func permitWords() throws {
        let explanation = try explain("https://a.com/")
        #expect(
            explanation.words().hasPrefix(
                """
                https://a.com/
                  allowed    on iOS 26, requested by the app; the server must show:
                             TLS 1.2 or newer, with one of \(explanation.demands?.suites.count ?? 0) cipher suites
                             forward secrecy
                             a certificate that the system trusts; the app's own code cannot accept another
                             RSA keys of 2048 bits or EC keys of 256 bits at least, SHA-256 signatures
                  because    no key of the dictionary covers this host, so the secure defaults apply
                  next       test the server: atsgate probe https://a.com/
                """))
        #expect(!explanation.words().contains("TLS_ECDHE"))
        #expect(!explanation.words().contains("secure-default"))
        let verbose = explanation.words(isVerbose: true)
        #expect(verbose.contains("  suite      TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\n"))
        #expect(verbose.contains("  basis      secure-default, source\n"))
        #expect(try explain("http://localhost/").words().contains("local      the host counts as local"))
        #expect(
            try explain("https://localhost/").words()
                .contains("the system's own requirements for every server, TLS 1.2 or newer; ATS adds none"))
    }

    @Test("a reference is the page's address if one is known, else the command that prints the page")
    func references() {
        let text = "Apple support 103769; docs/law/trust.md#key-size, docs/verdicts.md."
        #expect(
            References.shown(text, at: "")
                == "Apple support 103769; atsgate explain law/trust#key-size, atsgate explain verdicts.")
        #expect(
            References.shown(text, at: "https://host.example/o/n/blob/v1")
                == "Apple support 103769; https://host.example/o/n/blob/v1/docs/law/trust.md#key-size, "
                + "https://host.example/o/n/blob/v1/docs/verdicts.md.")
        #expect(References.shown("RFC 9112", at: "") == "RFC 9112")
    }

    @Test("a fix for an existing entry changes that entry")
    func entryFix() throws {
        let entry = PropertyMember(key: "a.com", node: PropertyNode(.dictionary([])))
        let domains = PropertyMember(key: "NSExceptionDomains", node: PropertyNode(.dictionary([entry])))
        #expect(
            try explain("http://a.com", [domains]).fixes.last
                == "In the entry a.com of NSExceptionDomains, set NSExceptionAllowsInsecureHTTPLoads to true.")
    }

    @Test("ws is judged like http, and a note explains it")
    func webSocket() throws {
        let explanation = try explain("ws://a.com")
        #expect(!explanation.isPermitted && explanation.notes.contains { $0.hasPrefix("ws and wss") })
    }

    @Test("an address on iOS 9 has one fix in addition to https")
    func addressFix() throws {
        let fixes = try explain("http://10.0.0.5/", profile: .iOS9).fixes
        #expect(fixes.last == "Only NSAllowsArbitraryLoads allows an address on iOS 9 (docs/law/rulings.md#ios-9).")
        #expect(try explain("http://203.0.113.9/", profile: .iOS10).isPermitted)
    }

    @Test("a switch that would change the ruling is named, in both directions (C1)")
    func disagreement() throws {
        let entry = PropertyNode(
            .dictionary(
                ["NSIncludesSubdomains", "NSExceptionAllowsInsecureHTTPLoads"].map {
                    PropertyMember(key: $0, node: PropertyNode(.boolean(true)))
                }))
        let domains = PropertyNode(.dictionary([PropertyMember(key: "a.com", node: entry)]))
        let declaration = try declaration([PropertyMember(key: "NSExceptionDomains", node: domains)])
        for (depth, other) in [(JudgeSwitches.SubdomainDepth.any, "one"), (.one, "any")] {
            var switches = JudgeSwitches()
            switches.subdomainDepth = depth
            let judge = Judge(declaration: declaration, profile: .iOS26, switches: switches)
            let deep = try Explanation(url: "http://c.b.a.com/", judge: judge, loader: .app)
            #expect(deep.isPermitted == (depth == .any))
            #expect(deep.disagreements.map(\.option) == ["--reading subdomain-depth=\(other)"])
            #expect(deep.notes.last?.contains("--reading subdomain-depth=\(other)") == true)
            #expect(try Explanation(url: "http://b.a.com/", judge: judge, loader: .app).disagreements.isEmpty)
        }
    }

    @Test(
        "a switch that would change the demands or the error number is named, in both directions",
        arguments: [
            ("C4", "https://lax.com/", "ios26"), ("C5", "https://b.com/", "ios26"), ("C6", "https://b.com/", "ios26"),
            ("C10", "https://insecure.com/", "ios9"), ("C14", "https://b.com/", "ios11"),
            ("C15", "https://insecure.com/", "ios17"),
            ("docs/law/pinning.md#with-ats-off", "https://pinned.com/", "ios26"),
        ])
    func tlsDisagreements(source: String, url: String, os: String) throws {
        let declaration = try Declaration(root: PropertyNode(Self.assorted), source: "Info.plist")
        let profile = try #require(OSProfile.named(os))
        let judge = Judge(declaration: declaration, profile: profile)
        let told = try Explanation(url: url, judge: judge, loader: .app).disagreements.filter { $0.source == source }
        #expect(!told.isEmpty)
        #expect(told.allSatisfy { $0.change == (["C14", "C15"].contains(source) ? .number : .demands) })
        for reading in judge.switches.otherReadings(on: profile) where reading.source == source {
            let flipped = Judge(declaration: declaration, profile: profile, switches: reading.switches)
            let back = try Explanation(url: url, judge: flipped, loader: .app).disagreements
            let option = "--reading \(reading.settings[0].name)="
            #expect(back.contains { $0.option.hasPrefix(option) && $0.option != reading.option }, "\(reading.option)")
        }
        // Cleartext has no TLS demands.
        let plain = try Explanation(url: url.replacing("https", with: "http"), judge: judge, loader: .app)
        #expect(!plain.disagreements.contains { $0.source == source })
    }

    @Test("both readings of local names on 10 to 13 are named if they matter (C16)")
    func localNames() throws {
        let declaration = try declaration([])
        for (reading, other) in [(JudgeSwitches.LocalNames.free, "ask"), (.ask, "free")] {
            var switches = JudgeSwitches()
            switches.localNames = reading
            let judge = Judge(declaration: declaration, profile: .iOS10, switches: switches)
            let local = try Explanation(url: "http://printer/", judge: judge, loader: .app)
            #expect(local.isPermitted == (reading == .free))
            #expect(local.disagreements.map(\.option) == ["--reading local-names=\(other)"])
            let remote = try Explanation(url: "http://a.com/", judge: judge, loader: .app)
            #expect(!remote.disagreements.contains { $0.source == "C16" })
        }
    }

    @Test("console variants are named if the release could print them instead of the usual lines")
    func consoleVariants() throws {
        let profile = try #require(OSProfile.named("ios15"))
        let denial = try explain("http://a.com/", profile: profile)
        #expect(
            denial.minorNotes == [
                "With --reading console-variants=nsurlconnection (docs/console-lines.md#variants) the console lines differ."
            ])
        #expect(denial.disagreements.map(\.change) == [.lines])
        let strict = try explain("https://a.com/", profile: profile)
        #expect(strict.minorNotes.contains { $0.hasPrefix("With --reading console-variants=strict-trust (") })
        #expect(try !explain("https://a.com/", profile: .iOS26).minorNotes.contains { $0.contains("console") })
        #expect(
            !denial.words().contains("console-variants") && denial.words(isVerbose: true).contains("console-variants"))
    }

    @Test("a note names the SDK that decides about addresses (C2)")
    func linkedSDK() throws {
        let sdk = PropertyMember(key: "DTSDKName", node: PropertyNode(.string("iphoneos16.4")))
        let old = try explain("http://10.0.0.5/", [sdk], profile: .iOS17)
        #expect(old.isPermitted && old.notes.contains { $0.contains("the SDK of iOS 16.4 (DTSDKName)") })
        #expect(old.notes.contains("With --reading linked-sdk=newest the load is blocked (C2)."))
    }

    private static func dictionary(_ members: [(String, PropertyValue)]) -> PropertyValue {
        .dictionary(members.map { PropertyMember(key: $0.0, node: PropertyNode($0.1)) })
    }

    /// ATS off, one entry of each kind, and a pinned host without an entry.
    private static let assorted = dictionary([
        ("NSAllowsArbitraryLoads", .boolean(true)),
        (
            "NSExceptionDomains",
            dictionary([
                ("lax.com", dictionary([("NSExceptionRequiresForwardSecrecy", .boolean(false))])),
                ("insecure.com", dictionary([("NSExceptionAllowsInsecureHTTPLoads", .boolean(true))])),
                ("b.com", dictionary([])),
            ])
        ),
        ("NSPinnedDomains", dictionary([("pinned.com", dictionary([("NSPinnedLeafIdentities", .array([]))]))])),
    ])
}

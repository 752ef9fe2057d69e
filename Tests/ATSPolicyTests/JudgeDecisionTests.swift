import ATSPolicy
import Testing
import Text

/// The order of decisions, and what each of them allows. Source: Security, SecProtocolConfiguration.m; Apple,
/// NSAllowsLocalNetworking; Security, SecProtocolConfigurationTest.m; docs/law/rulings.md, docs/law/addresses.md.
struct JudgeDecisionTests {
    @Test("each ruling names its step and the key that decided")
    func steps() throws {
        let media: PropertyValue = ["NSAllowsArbitraryLoadsForMedia": true]
        let web: PropertyValue = ["NSAllowsArbitraryLoadsInWebContent": true]
        let both: PropertyValue = ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsForMedia": false]
        let rows: [(PropertyValue, String, Loader, RulingBasis.Step, String?)] = [
            ([:], "a.com", .app, .secureDefault, nil),
            (["NSAllowsArbitraryLoads": false], "a.com", .app, .secureDefault, "NSAllowsArbitraryLoads"),
            (["NSAllowsArbitraryLoads": true], "a.com", .app, .arbitraryLoads, "NSAllowsArbitraryLoads"),
            ([:], "printer", .app, .local, nil),
            (["NSAllowsLocalNetworking": true], "printer", .app, .local, "NSAllowsLocalNetworking"),
            (["NSAllowsLocalNetworking": false], "printer", .app, .siblingPresent, "NSAllowsLocalNetworking"),
            (media, "a.com", .media, .mediaGrant, "NSAllowsArbitraryLoadsForMedia"),
            (media, "a.com", .app, .secureDefault, nil),
            (media, "a.com", .web, .secureDefault, nil),
            (both, "a.com", .web, .siblingPresent, "NSAllowsArbitraryLoadsForMedia"),
            (web, "a.com", .web, .webGrant, "NSAllowsArbitraryLoadsInWebContent"),
            (web, "a.com", .media, .secureDefault, nil),
        ]
        for (dictionary, host, loader, step, key) in rows {
            let verdicts = try Verdicts(dictionary, host: host, loader: loader)
            #expect(verdicts.cleartext.basis.step == step)
            #expect(verdicts.cleartext.basis.keyPath == key.map { "NSAppTransportSecurity." + $0 })
            let isFree = [.local, .mediaGrant, .webGrant, .arbitraryLoads].contains(step)
            #expect(verdicts.isCleartextAllowed == isFree)
            #expect((verdicts.demands == nil) == isFree)
        }
    }

    @Test("a note explains that a sibling key turns NSAllowsArbitraryLoads off")
    func siblingNote() throws {
        let verdicts = try Verdicts(
            ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true], host: "a.com")
        #expect(verdicts.cleartext.basis.notes.contains { $0.contains("NSAllowsLocalNetworking is present") })
    }

    @Test(
        "an entry's insecure and forward-secrecy keys set strictness and suites",
        arguments: [
            (Bool?.none, Bool?.none, true, true),
            (nil, false, true, false),
            (true, nil, false, true),
            (true, false, false, false),
        ])
    func entryTerms(insecure: Bool?, forwardSecrecy: Bool?, isStrict: Bool, asksForSecrecy: Bool) throws {
        var members: [PropertyMember] = []
        let flags = [
            ("NSExceptionAllowsInsecureHTTPLoads", insecure), ("NSExceptionRequiresForwardSecrecy", forwardSecrecy),
        ]
        for case (let key, let flag?) in flags {
            members.append(PropertyMember(key: key, node: PropertyNode(.boolean(flag))))
        }
        let profile = OSProfile.iOS26
        let verdicts = try Verdicts(["NSExceptionDomains": ["a.com": .dictionary(members)]], host: "a.com")
        let demands = try #require(verdicts.demands)
        #expect(demands.strictTrust == isStrict && demands.forwardSecrecy == asksForSecrecy)
        #expect(demands.minimumTLS == .tls12 && demands.certificateFloor)
        let both = insecure == true && forwardSecrecy == false
        let extra = both ? profile.systemSuites : profile.staticRSASuites + profile.atsSuites
        #expect(demands.suites == (asksForSecrecy ? profile.atsSuites : extra))
        #expect(verdicts.offer?.suites == demands.suites && verdicts.offer?.maximum == .tls13)
    }

    @Test("the release's TLS floor overrides a lower minimum, and a note explains it")
    func floor() throws {
        let dictionary: PropertyValue = ["NSExceptionDomains": ["a.com": ["NSExceptionMinimumTLSVersion": "TLSv1.0"]]]
        let old = try Verdicts(dictionary, host: "a.com", profile: .iOS18_4)
        #expect(old.demands?.minimumTLS == .tls10 && old.secure.basis.notes.isEmpty)
        let new = try Verdicts(dictionary, host: "a.com", profile: .iOS26)
        #expect(new.demands?.minimumTLS == .tls12 && new.offer?.minimum == .tls12)
        #expect(new.secure.basis.notes.contains { $0.contains("no effect") })
        let off = try Verdicts(["NSAllowsArbitraryLoads": true], host: "a.com", profile: .iOS26)
        #expect(off.demands == nil && off.offer?.minimum == .tls12)
    }

    @Test(
        "single-label names, .local names and private addresses are local",
        arguments: [
            ("printer", true), ("a.local", true), ("a.local.", true), ("local", true), ("alocal.com", false),
            ("", false),
            ("127.255.255.255", true), ("10.1.2.3", true), ("172.31.0.1", true), ("172.32.0.1", false),
            ("192.168.0.1", true), ("169.254.1.1", true), ("100.64.0.1", false), ("0.0.0.0", false),
            ("fd00::1", true), ("fe80::1%en0", true), ("::ffff:127.0.0.1", false), ("2001:db8::1", false),
        ])
    func local(host: String, isLocal: Bool) throws {
        let verdicts = try Verdicts([:], host: host)
        #expect(verdicts.isCleartextAllowed == isLocal)
        #expect(verdicts.cleartext.basis.isLocal == isLocal)
    }

    @Test("the set of local networks can be changed, and allowing them is marked as inferred")
    func localSwitch() throws {
        let block = try #require(AddressBlock("100.64.0.0/10"))
        let verdicts = try Verdicts([:], host: "100.64.0.1", switches: JudgeSwitches(localNetworks: [block]))
        #expect(verdicts.isCleartextAllowed && verdicts.cleartext.basis.confidence == .inferred)
        #expect(
            try !Verdicts([:], host: "10.0.0.1", switches: JudgeSwitches(localNetworks: [block])).isCleartextAllowed)
        #expect(AddressBlock("10.0.0.0/33") == nil && AddressBlock("10/8") == nil && AddressBlock("x") == nil)
    }

    @Test("the strict reading of C2 requires NSAllowsLocalNetworking for addresses, but not for names")
    func strictIP() throws {
        let strict = JudgeSwitches(strictIP: true)
        #expect(try !Verdicts([:], host: "127.0.0.1", switches: strict).isCleartextAllowed)
        #expect(try Verdicts([:], host: "localhost", switches: strict).isCleartextAllowed)
        let granted: PropertyValue = ["NSAllowsLocalNetworking": true]
        #expect(try Verdicts(granted, host: "127.0.0.1", switches: strict).isCleartextAllowed)
        #expect(try !Verdicts(granted, host: "1.1.1.1", switches: strict).isCleartextAllowed)
    }

    @Test("built-in exceptions are marked as built in, and can be turned off")
    func builtIn() throws {
        let basis = try Verdicts([:], host: "a.apple.com").cleartext.basis
        #expect(basis.isBuiltIn && basis.entry == "apple.com" && basis.keyPath == nil)
        let off = JudgeSwitches(builtInExceptions: false)
        #expect(try !Verdicts([:], host: "a.apple.com", switches: off).isCleartextAllowed)
    }

    @Test("a client outside ATS has no TLS demands, even under the secure defaults")
    func outside() throws {
        let judge = Judge(declaration: .secureDefaults, profile: .newest)
        let cleartext = judge.permit(outside: LoadTarget(scheme: .http, host: "a.com", port: 80))
        #expect(cleartext.basis.step == .outside && cleartext.offer == nil && cleartext.overriddenDenial == nil)
        let secure = judge.permit(outside: LoadTarget(scheme: .https, host: "a.com", port: 443))
        #expect(secure.demands == nil && secure.offer?.suites == OSProfile.newest.systemSuites)
    }

    @Test("audit mode may set a denial aside; the permit keeps it")
    func overriddenDenial() throws {
        let judge = Judge(declaration: .secureDefaults, profile: .newest)
        let target = LoadTarget(scheme: .http, host: "a.com", port: 80)
        let denial = try #require(judge.rule(on: target, loader: .app).denial)
        let permit = judge.permit(overriding: denial)
        #expect(
            permit.target == target && permit.overriddenDenial == denial && permit.demands == nil && permit.offer == nil
        )
    }
}

import ATSPolicy
import Testing
import Text

/// The other readings of docs/contradictions.md, each with its switch.
struct JudgeSwitchTests {
    private static let deep: PropertyValue = [
        "NSExceptionDomains": [
            "example.com": ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true],
            "198.51.100.0/24": ["NSExceptionAllowsInsecureHTTPLoads": true],
            "old.net": ["NSThirdPartyExceptionAllowsInsecureHTTPLoads": true],
        ]
    ]

    private func isAllowed(
        _ dictionary: PropertyValue, _ host: String, _ profile: OSProfile,
        _ change: (inout JudgeSwitches) -> Void = { _ in }
    ) throws -> Bool {
        var switches = JudgeSwitches()
        change(&switches)
        return try Verdicts(dictionary, host: host, profile: profile, switches: switches).isCleartextAllowed
    }

    @Test("C1: subdomains match one label deep or at any depth", arguments: OSProfile.all)
    func depth(profile: OSProfile) throws {
        #expect(try isAllowed(Self.deep, "b.a.example.com", profile))
        #expect(try !isAllowed(Self.deep, "b.a.example.com", profile) { $0.subdomainDepth = .one })
        #expect(try isAllowed(Self.deep, "a.example.com", profile) { $0.subdomainDepth = .one })
    }

    @Test("C2: addresses in the strict, the lenient and the documented reading")
    func addresses() throws {
        #expect(try isAllowed([:], "10.0.0.5", .iOS17) { $0.strictIP = false })
        #expect(try !isAllowed([:], "10.0.0.5", .iOS26) { $0.strictIP = true })
        #expect(try isAllowed([:], "203.0.113.9", .iOS10) { $0.strictIP = true })
        let granted: PropertyValue = ["NSAllowsLocalNetworking": true]
        let documented: (inout JudgeSwitches) -> Void = {
            $0.localNetworks = JudgeSwitches.allNetworks
            $0.strictIP = true
        }
        #expect(try isAllowed(granted, "203.0.113.9", .iOS26, documented))
        #expect(try !isAllowed([:], "203.0.113.9", .iOS26, documented))
        #expect(try !isAllowed(granted, "203.0.113.9", .iOS9, documented))
    }

    @Test("C3: NO for a sibling key counts by presence or by value", arguments: [OSProfile.iOS10, .iOS26])
    func siblings(profile: OSProfile) throws {
        let dictionary: PropertyValue = ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": false]
        for host in ["example.com", "localhost"] {
            #expect(try !isAllowed(dictionary, host, profile))
            #expect(try isAllowed(dictionary, host, profile) { $0.siblingKeys = .value })
        }
        // For the other two keys the documentation itself counts any value (documented; docs/law/rulings.md#siblings).
        let web: PropertyValue = ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": false]
        #expect(try !isAllowed(web, "example.com", profile) { $0.siblingKeys = .value })
    }

    @Test("C6: CBC suites with SHA-2 can be added and removed")
    func suites() throws {
        func codes(_ profile: OSProfile, _ isOn: Bool?, _ dictionary: PropertyValue = [:]) throws -> [UInt16]? {
            var switches = JudgeSwitches()
            switches.cbcSHA2 = isOn
            return try Verdicts(dictionary, host: "a.com", profile: profile, switches: switches)
                .offer?.suites.map(\.code).sorted()
        }
        // SuiteOrderTests has the orders.
        let (old, new) = (VectorSuites.since13.sorted(), VectorSuites.since15_4.sorted())
        let last13 = try #require(OSProfile.named("ios15.3"))
        #expect(try codes(.iOS26, nil) == new)
        #expect(try codes(.iOS26, true) == old)
        #expect(try codes(last13, false) == new)
        #expect(try codes(last13, true) == old)
        let lax: PropertyValue = ["NSExceptionDomains": ["a.com": ["NSExceptionRequiresForwardSecrecy": false]]]
        #expect(try codes(.iOS26, true, lax) == (VectorSuites.rsaTo15_3 + old).sorted())
    }

    private func demands(
        _ entry: PropertyValue, _ profile: OSProfile, _ change: (inout JudgeSwitches) -> Void
    ) throws -> TLSDemands {
        var switches = JudgeSwitches()
        change(&switches)
        let verdicts = try Verdicts(
            ["NSExceptionDomains": ["a.com": entry]], host: "a.com", profile: profile, switches: switches)
        return try #require(verdicts.demands)
    }

    @Test("C4: key lengths are waived with forward secrecy (documented) or kept", arguments: [OSProfile.iOS9, .iOS26])
    func keySizes(profile: OSProfile) throws {
        let lax: PropertyValue = ["NSExceptionRequiresForwardSecrecy": false]
        let documented: (inout JudgeSwitches) -> Void = { $0.keySizeWithoutForwardSecrecy = false }
        #expect(try demands(lax, profile, documented).waivesKeySize)
        #expect(try !demands(lax, profile) { _ in }.waivesKeySize)
        #expect(try !demands([:], profile, documented).waivesKeySize)
        #expect(try demands(lax, profile, documented).certificateFloor)
    }

    @Test("C5, C10: checks of the leaf only, and any certificate if insecure loads are allowed")
    func certificates() throws {
        #expect(try demands([:], .iOS26) { $0.certificateScope = .leaf }.checksLeafOnly)
        #expect(try !demands([:], .iOS26) { _ in }.checksLeafOnly)
        let insecure: PropertyValue = ["NSExceptionAllowsInsecureHTTPLoads": true]
        #expect(try demands(insecure, .iOS26) { $0.insecureTrust = .any }.acceptsAnyCertificate)
        #expect(try !demands([:], .iOS26) { $0.insecureTrust = .any }.acceptsAnyCertificate)
        #expect(try !demands(insecure, .iOS26) { _ in }.acceptsAnyCertificate)
    }

    @Test("C6: the documented list has eleven suites of TLS 1.2 on every release", arguments: OSProfile.all)
    func documentedSuites(profile: OSProfile) throws {
        let modern: [UInt16] = profile.newestTLS < .tls13 ? [] : [0x1301, 0x1302, 0x1303]
        // In the order of docs/law/tls.md#suites.
        let note: [UInt16] = [
            0xC02C, 0xC02B, 0xC030, 0xC02F, 0xC024, 0xC023, 0xC028, 0xC027, 0xC00A, 0xC009, 0xC013,
        ]
        let read: (inout JudgeSwitches) -> Void = { $0.suiteList = .documented }
        #expect(try demands([:], profile, read).suites.map(\.code).sorted() == (modern + note).sorted())
        let lax: PropertyValue = ["NSExceptionRequiresForwardSecrecy": false]
        let all = VectorSuites.rsaTo15_3 + modern + note
        #expect(try demands(lax, profile, read).suites.map(\.code).sorted() == all.sorted())
        let both = try demands([:], profile) {
            $0.suiteList = .documented
            $0.cbcSHA2 = false
        }
        #expect(both.suites.count == modern.count + note.count - 4)
    }

    @Test("each contradiction has its switches in the other readings, or a reason for having none")
    func table() throws {
        // The reasons of the others are in docs/contradictions.md.
        let settled = ["C7", "C11", "C12", "C13"]
        var declared = JudgeSwitches()
        declared.apple = AppleReadings(handshakeFailure: .coreTLS, untrustedRoot: .invalidChain)
        let readings = [OSProfile.iOS10, .iOS17, .iOS26, .iOS27].flatMap { declared.otherReadings(on: $0) }
        for contradiction in (1...18).map({ "C\($0)" }) {
            let matching = readings.filter { $0.source.split(separator: ",").first.map(String.init) == contradiction }
            let options = JudgeSwitch.all.filter { $0.source == contradiction }.map(\.name)
            #expect(options.isEmpty == settled.contains(contradiction), "\(contradiction)")
            #expect(Set(matching.flatMap(\.settings).map(\.name)) == Set(options), "\(contradiction)")
        }
    }

    @Test("every switch reads back each of its values")
    func values() {
        for row in JudgeSwitch.all {
            for value in row.values {
                var switches = JudgeSwitches()
                let isSet = row.set(value, in: &switches)
                #expect(isSet && row.value(in: switches) == value, "\(row.name)")
            }
        }
    }

    @Test(
        "other console lines are offered on the releases that have them",
        arguments: [
            ("ios9", [String]()), ("ios10", []), ("ios11", ["nsurlconnection"]),
            ("ios15", ["nsurlconnection", "strict-trust"]), ("ios17", []), ("ios26", []),
        ])
    func consoleLines(os: String, variants: [String]) throws {
        let settings = JudgeSwitches().otherReadings(on: try #require(OSProfile.named(os))).flatMap(\.settings)
        #expect(settings.filter { $0.name == "console-variants" }.map(\.value) == variants)
    }

    @Test("C15: from 26 on the other code of an untrusted root is offered only if one was chosen")
    func untrustedRootCode() {
        func codes(_ profile: OSProfile, _ chosen: AppleReadings.UntrustedRoot? = nil) -> [String] {
            var switches = JudgeSwitches()
            switches.apple = AppleReadings(untrustedRoot: chosen)
            let settings = switches.otherReadings(on: profile).flatMap(\.settings)
            return settings.filter { $0.name == "untrusted-root-code" }.map(\.value)
        }
        #expect(codes(.iOS18_4) == ["9807"] && codes(.iOS26) == [])
        #expect(codes(.iOS26, .invalidChain) == ["9813"] && codes(.iOS26, .missingRoot) == ["9807"])
    }

    @Test("C17: names below localhost are remote; in the other reading they are local from 27 on")
    func localhostNames() throws {
        for host in ["app.localhost", "a.b.localhost."] {
            #expect(try !isAllowed([:], host, .iOS27) { _ in })
            #expect(try isAllowed([:], host, .iOS27) { $0.localhostNames = .local })
            #expect(try !isAllowed([:], host, .iOS26) { $0.localhostNames = .local })
        }
        #expect(try !isAllowed([:], "notlocalhost.com", .iOS27) { $0.localhostNames = .local })
        #expect(try isAllowed([:], "localhost", .iOS27) { _ in })
    }

    @Test("C18: from 26 on web content keeps ATS's demands for https to a private address (VelaTerm 77)")
    func webLocalTrust() throws {
        func isStrict(
            _ host: String, _ profile: OSProfile, _ dictionary: PropertyValue, _ loader: Loader = .web,
            _ reading: JudgeSwitches.WebLocalTrust = .strict
        ) throws -> Bool {
            var switches = JudgeSwitches()
            switches.webLocalTrust = reading
            let judge = Judge(declaration: try declaration(dictionary), profile: profile, switches: switches)
            let ruling = judge.rule(on: LoadTarget(scheme: .https, host: host, port: 443), loader: loader)
            return ruling.permit?.demands?.strictTrust == true
        }
        let local: PropertyValue = ["NSAllowsLocalNetworking": true]
        for dictionary in [local, [:]] {
            #expect(try isStrict("192.168.1.5", .iOS27, dictionary) && isStrict("10.0.0.5", .iOS26, dictionary))
            #expect(try !isStrict("192.168.1.5", .iOS18_4, dictionary))
            #expect(try !isStrict("192.168.1.5", .iOS27, dictionary, .app))
            #expect(try !isStrict("192.168.1.5", .iOS27, dictionary, .web, .free))
            for host in ["127.0.0.1", "localhost", "printer"] { #expect(try !isStrict(host, .iOS27, dictionary)) }
        }
        #expect(try !isStrict("192.168.1.5", .iOS27, ["NSAllowsArbitraryLoadsInWebContent": true]))
        let judge = Judge(declaration: try declaration(local), profile: .iOS27)
        let basis = judge.rule(on: LoadTarget(scheme: .https, host: "10.0.0.5", port: 443), loader: .web).basis
        #expect(basis.confidence == .observedOnce && basis.notes.contains { $0.contains("(C18, one report)") })
    }

    @Test("on 27 built-in exceptions do not apply under a NIAP package, unless the switch is on")
    func builtInsUnderPackage() throws {
        let package: PropertyValue = ["NSRequiresNIAPTLSPackageVersion": "FCP_v2.1"]
        #expect(try isAllowed(package, "x.apple.com", .iOS26_4) { _ in })
        #expect(try !isAllowed(package, "x.apple.com", .iOS27) { _ in })
        #expect(try isAllowed(package, "x.apple.com", .iOS27) { $0.builtInExceptions = true })
        #expect(try isAllowed([:], "x.apple.com", .iOS27) { _ in })
        let readings = JudgeSwitches().otherReadings(on: .iOS27).flatMap(\.settings).map(\.option)
        #expect(readings.contains("--reading built-in-exceptions=on"))
        #expect(readings.contains("--reading built-in-exceptions=off"))
    }

    @Test("C8, C9: old spellings, address keys and built-in exceptions have switches")
    func keys() throws {
        #expect(try isAllowed(Self.deep, "old.net", .iOS26) { $0.legacyKeys = true })
        #expect(try !isAllowed(Self.deep, "old.net", .iOS9) { $0.legacyKeys = false })
        #expect(try isAllowed(Self.deep, "198.51.100.7", .iOS9) { $0.addressKeys = true })
        #expect(try !isAllowed(Self.deep, "198.51.100.7", .iOS26) { $0.addressKeys = false })
        #expect(try isAllowed([:], "x.apple.com", .iOS9) { $0.builtInExceptions = true })
    }

    @Test("a fix for one host of a wider entry keeps the entry's other settings, but not its subdomains")
    func narrowedFix() throws {
        let wide = try declaration([
            "NSExceptionDomains": [
                "example.com": ["NSIncludesSubdomains": true, "NSExceptionMinimumTLSVersion": "TLSv1.0"]
            ]
        ])
        let setting = ExceptionFix.Setting("NSExceptionRequiresForwardSecrecy", .flag(false))
        let fix = wide.narrowed(
            ExceptionFix(domain: "example.com", settings: [setting]),
            to: LoadTarget(scheme: .https, host: "api.example.com", port: 443))
        #expect(fix.domain == "api.example.com")
        #expect(fix.settings == [ExceptionFix.Setting("NSExceptionMinimumTLSVersion", .text("TLSv1.0")), setting])
    }

    @Test("a key that is not a range gets no reason about its address")
    func noRange() {
        #expect(AddressBlock.complaint(aboutExceptionKey: "x/8") == "it is not CIDR notation")
    }

    @Test("the key path has the spelling that was in effect")
    func spelling() throws {
        let old = try Verdicts(Self.deep, host: "old.net", profile: .iOS17).cleartext.basis
        #expect(old.keyPath?.hasSuffix("old.net.NSThirdPartyExceptionAllowsInsecureHTTPLoads") == true)
    }

    @Test("confidence follows the evidence for the release")
    func confidence() throws {
        func mark(_ host: String, _ profile: OSProfile, _ dictionary: PropertyValue = [:]) throws -> Confidence {
            try Verdicts(dictionary, host: host, profile: profile).cleartext.basis.confidence
        }
        #expect(try mark("localhost", .iOS10) == .documented && mark("localhost", .iOS26) == .source)
        #expect(try mark("203.0.113.9", .iOS10) == .documented)
        #expect(try mark("10.0.0.5", .iOS26) == .inferred)
        #expect(try mark("localhost", .iOS17, ["NSAllowsLocalNetworking": false]) == .inferred)
        #expect(try mark("203.0.113.9", .iOS17, ["NSAllowsLocalNetworking": true]) == .inferred)
        #expect(try mark("a.example.com", .iOS17, Self.deep) == .documented)
        #expect(try mark("b.a.example.com", .iOS17, Self.deep) == .inferred)
    }

    @Test("on iOS 9 a note marks a sibling key as unknown")
    func unread() throws {
        let notes = try Verdicts(["NSAllowsLocalNetworking": true], host: "localhost", profile: .iOS9)
            .cleartext.basis.notes
        #expect(notes.contains { $0.contains("NSAllowsLocalNetworking was introduced in iOS 10") })
    }

    @Test("demands of a NIAP package have notes about requirements that are not checked")
    func niap() throws {
        let verdicts = try Verdicts(
            ["NSRequiresNIAPTLSPackageVersion": "recommended"], host: "a.com", profile: .macOS26_4)
        #expect(verdicts.demands?.niap == .recommended)
        let notes = verdicts.secure.basis.notes.joined()
        #expect(notes.contains("extended master secret") && notes.contains("inferred"))
        #expect(verdicts.offer?.takesSHA1Signatures == false)
        #expect(try Verdicts([:], host: "a.com", profile: .macOS26_4).offer?.takesSHA1Signatures == true)
    }
}

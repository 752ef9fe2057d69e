import ATSPolicy
import Testing

/// The suites that a release offers, compared with recorded ClientHellos.
@Suite struct SuiteOrderTests {
    /// One recorded hello: its suites, without GREASE and the renegotiation value.
    struct Recorded: CustomTestStringConvertible, Sendable {
        let system: String
        let dictionary: PropertyValue
        let source: String
        let suites: [UInt16]

        var testDescription: String { "\(system), \(source)" }
    }

    @Test("a narrowed offer has the suites of both; no suites mean all, and no common suite means the other offer")
    func narrowed() {
        func suites(_ own: [CipherSuite], _ other: [CipherSuite]) -> [CipherSuite] {
            let offers = [own, other].map { TLSOffer(minimum: .tls12, maximum: .tls13, suites: $0) }
            return offers[0].narrowed(to: offers[1]).suites
        }
        let (one, two, three) = (RuleCases.staticRSA, RuleCases.dhe, RuleCases.oldECDHE)
        #expect(suites([one, two], [two, three]) == [two])
        #expect(suites([one, two], []) == [one, two] && suites([], [two, three]) == [two, three])
        #expect(suites([], []) == [] && suites([one], [two]) == [two])
    }

    private static let arbitraryLoads: PropertyValue = ["NSAllowsArbitraryLoads": true]
    private static let since15_4: [UInt16] = [
        0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC00A, 0xC009, 0xC014, 0xC013,
    ]
    private static let tail: [UInt16] = [0x009D, 0x009C, 0x0035, 0x002F, 0xC008, 0xC012, 0x000A]
    private static let from12: [UInt16] = [
        0xC02C, 0xC02B, 0xC024, 0xC023, 0xC00A, 0xC009, 0xCCA9, 0xC030, 0xC02F, 0xC028, 0xC027, 0xC014, 0xC013, 0xCCA8,
        0x009D, 0x009C, 0x003D, 0x003C, 0x0035, 0x002F,
    ]

    static let recorded = [
        Recorded(
            system: "ios10", dictionary: arbitraryLoads, source: "SSL Labs, Safari 10 iOS 10",
            suites: [
                0xC02C, 0xC02B, 0xC024, 0xC023, 0xC00A, 0xC009, 0xC008, 0xC030, 0xC02F, 0xC028, 0xC027, 0xC014, 0xC013,
                0xC012, 0x009D, 0x009C, 0x003D, 0x003C, 0x0035, 0x002F, 0x000A,
            ]),
        Recorded(system: "ios11", dictionary: arbitraryLoads, source: "utls, HelloIOS_11_1", suites: from12),
        Recorded(
            system: "ios12.2", dictionary: arbitraryLoads, source: "testssl.sh, Safari 12.1 (iOS 12.2)",
            suites: [0x1303, 0x1301, 0x1302] + from12 + [0xC008, 0xC012, 0x000A]),
        Recorded(
            system: "ios13", dictionary: arbitraryLoads, source: "utls, HelloIOS_13",
            suites: [0x1301, 0x1302, 0x1303] + from12 + [0xC008, 0xC012, 0x000A]),
        Recorded(
            system: "ios14", dictionary: arbitraryLoads, source: "utls, HelloIOS_14",
            suites: [
                0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC024, 0xC023, 0xC00A, 0xC009,
                0xC028, 0xC027, 0xC014, 0xC013, 0x009D, 0x009C, 0x003D, 0x003C, 0x0035, 0x002F, 0xC008, 0xC012, 0x000A,
            ]),
        Recorded(
            system: "ios15", dictionary: [:], source: "tls-client, MeshIos2",
            suites: [
                0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC024, 0xC023, 0xC00A, 0xC009,
                0xC028, 0xC027, 0xC014, 0xC013,
            ]),
        Recorded(
            system: "ios18.4", dictionary: arbitraryLoads, source: "testssl.sh, Safari 18.4 (iOS 18.4)",
            suites: [0x1301, 0x1302, 0x1303] + since15_4 + tail),
        Recorded(
            system: "ios18.4", dictionary: [:], source: "tlsprofiles, StandardIOS",
            suites: [0x1301, 0x1302, 0x1303] + since15_4),
        Recorded(
            system: "ios26.1", dictionary: [:], source: "tlsprofiles, StandardIOS26",
            suites: [0x1302, 0x1303, 0x1301] + since15_4),
        Recorded(
            system: "ios26.4", dictionary: arbitraryLoads, source: "testssl.sh, Safari 26.4",
            suites: [0x1302, 0x1303, 0x1301] + since15_4 + tail),
        Recorded(
            system: "ios26.5", dictionary: [:], source: "wafer, 45 hellos of 26.5.2",
            suites: [
                0x1302, 0x1301, 0x1303, 0xC02C, 0xC030, 0xC02B, 0xCCA9, 0xC02F, 0xCCA8, 0xC00A, 0xC009, 0xC014, 0xC013,
            ]),
    ]

    @Test("a load offers the suites of a recorded ClientHello in its order", arguments: recorded)
    func order(recorded: Recorded) throws {
        let profile = try #require(OSProfile.named(recorded.system))
        let judge = Judge(declaration: try declaration(recorded.dictionary), profile: profile)
        let ruling = judge.rule(on: LoadTarget(scheme: .https, host: "a.com", port: 443), loader: .app)
        #expect(ruling.permit?.offer?.suites.map(\.code) == recorded.suites)
    }

    @Test("only the order of suites changes within 26, so a client of another minor release is judged alike")
    func withinMajor() throws {
        let old = try #require(OSProfile.named("ios26.1"))
        let new = try #require(OSProfile.named("ios26.3"))
        #expect(old.atsSuites != new.atsSuites && Set(old.atsSuites) == Set(new.atsSuites))
    }

    @Test("an entry with TLSv1.3 makes every load fail with -9800 on a release without 1.3 (OWASP/mastg 1121)")
    func unknownMinimum() throws {
        let entry: PropertyValue = ["NSExceptionDomains": ["a.com": ["NSExceptionMinimumTLSVersion": "TLSv1.3"]]]
        for (name, fails) in [("macos10.14", true), ("ios11", true), ("macos10.14.4", false), ("ios13", false)] {
            let profile = try #require(OSProfile.named(name))
            let permit = try #require(try Verdicts(entry, host: "a.com", profile: profile).secure.permit)
            let offer = try #require(permit.offer)
            #expect(offer.minimum <= offer.maximum)
            var handshake = RuleCases.good(profile)
            handshake.host = "a.com"
            handshake.facts.path[0].dnsNames = ["a.com"]
            handshake.demands = permit.demands
            handshake.basis = permit.basis
            handshake.facts.version = fails ? .tls12 : .tls13
            if !fails { handshake.facts.suite = CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256") }
            let verdict = RuleBook.standard.judge(handshake)
            #expect(verdict.failure == (fails ? .handshake(.nothingToOffer, rule: .tlsVersion) : nil), "\(name)")
            guard fails, let failure = verdict.failure else { continue }
            #expect(AppleErrorTests.error(failure, profile).streamErrorCode == -9800)
            #expect(verdict.remedy?.exception?.settings.first?.value == .text("TLSv1.2"))
            #expect(verdict.remedy?.sentences.first?.contains("No change of the server helps") == true)
            let broken = RuleBook.standard.judge(
                .alertReceived(70), diagnosis: nil, target: permit.target, basis: permit.basis,
                demands: permit.demands, offer: offer, profile: profile)
            #expect(broken.failure == .handshake(.nothingToOffer, rule: .tlsVersion))
        }
    }
}

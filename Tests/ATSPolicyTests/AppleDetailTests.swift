import ATSPolicy
import Testing
import Text

@Suite struct AppleDetailTests {
    private static let handshakes: [HandshakeFailure] =
        (0...255).map { .alertReceived(UInt8($0)) } + [
            .versionNotOffered, .suiteNotOffered, .closed(reset: false), .closed(reset: true), .notTLS([]), .timeout,
            .library(0),
        ]

    private static let failures: [LoadFailure] =
        [.cleartext, .network(.name(code: 0)), .network(.refused), .network(.timeout), .network(.reset(errno: 0))]
        + RuleID.allCases.flatMap { [LoadFailure.trust($0, isStrict: true), .trust($0, isStrict: false)] }
        + handshakes.flatMap { failure in
            [nil, RuleID.tlsVersion, .cipherSuite].map { LoadFailure.handshake(failure, rule: $0) }
        }

    @Test("no line of any failure on any system shows a number of the private block -9880 to -9889")
    func detailCodesStayOutOfTheLog() {
        for profile in OSProfile.all {
            for failure in Self.failures {
                let error = AppleErrorTests.error(failure, profile, facts: RuleCases.facts)
                #expect(!error.log.contains { $0.contains("-988") }, "\(failure)")
                #expect(!(error.streamErrorCode.map { (-9889 ... -9880).contains($0) } ?? false))
            }
        }
    }

    @Test(
        "the private number is that of the rule",
        arguments: [
            (RuleID.keySize, -9883), (.signatureHash, -9885), (.untrustedRoot, -9886), (.selfSigned, -9886),
            (.incompleteChain, -9886), (.expired, -9886), (.notYetValid, -9886), (.hostName, -9886), (.noSAN, -9886),
            (.pinnedIdentity, -9886), (.trustKeySize, -9886), (.trustSignatureHash, -9886),
            (.unknownRoot, -9886), (.distrustedRoot, -9886), (.invalidChain, -9886), (.rootKey, -9886),
            (.revoked, -9886),
        ])
    func trustDetails(rule: RuleID, code: Int) {
        let error = AppleErrorTests.error(.trust(rule, isStrict: true), .iOS26, facts: RuleCases.facts)
        #expect(error.detailCode == code)
        #expect(error.code == -1200 && error.streamErrorCode == -9802)
    }

    @Test func aWeakLeafHasANumberOfItsOwn() {
        var facts = RuleCases.facts
        facts.path[0].signatureHashBits = 160
        #expect(AppleErrorTests.error(.trust(.signatureHash, isStrict: true), .iOS26, facts: facts).detailCode == -9884)
    }

    @Test func brokenHandshakesCarryTheNumberOfTheirRule() {
        func detail(_ rule: RuleID?) -> Int? {
            AppleErrorTests.error(.handshake(.alertReceived(40), rule: rule), .iOS26).detailCode
        }
        #expect(detail(.tlsVersion) == -9881)
        #expect(detail(.osTLSFloor) == -9881)
        #expect(detail(.forwardSecrecy) == -9882)
        #expect(detail(.cipherSuite) == -9882)
        #expect(detail(nil) == nil)
    }

    @Test("the issuer's common name is read from its RFC 2253 text, at any position")
    func issuerNames() throws {
        func shown(_ issuer: String) throws -> String {
            var facts = RuleCases.facts
            facts.served = [RuleCases.leaf]
            facts.served[0].issuer = issuer
            let log = AppleErrorTests.error(.trust(.expired, isStrict: true), .iOS26, facts: facts).log
            let line = try #require(log.last)
            let after = try #require(line.split(separator: " i: ").dropFirst().first)
            return String(after.prefix { $0 != ">" })
        }
        #expect(try shown("O=Example,CN=R3,C=US") == "R3")
        #expect(try shown("CN=Big\\, Bad CA,O=x") == "Big, Bad CA")
        #expect(try shown("OU=a+CN=b") == "b")
        #expect(try shown("O=No Name") == "O=No Name")
        #expect(try shown("CN=a\nb") == "a?b")
        #expect(try shown("O=x, cn = R3") == "R3")
        #expect(try shown(#"CN=a\0Ab\C3\A9"#) == "a?bé")
        #expect(try shown("") == "")
    }

    @Test("the alert for a strict trust failure gives the client -9802", arguments: RuleID.allCases)
    func alertsForTrust(rule: RuleID) {
        let alert = RefusalAlert.alert(for: .trust(rule, isStrict: true))
        let echoed = AppleErrorTests.error(.handshake(.alertReceived(alert), rule: nil), .iOS26)
        #expect(echoed.streamErrorCode == -9802)
    }

    @Test func alertsForHandshakes() {
        func alert(_ failure: HandshakeFailure, _ rule: RuleID?) -> UInt8 {
            RefusalAlert.alert(for: .handshake(failure, rule: rule))
        }
        #expect(alert(.versionNotOffered, .tlsVersion) == 70)
        #expect(alert(.alertReceived(70), .osTLSFloor) == 70)
        #expect(alert(.alertReceived(40), .forwardSecrecy) == 40)
        #expect(alert(.suiteNotOffered, .cipherSuite) == 40)
        #expect(alert(.alertReceived(112), nil) == 112)
        for closing in [HandshakeFailure.closed(reset: true), .closed(reset: false), .timeout, .notTLS([])] {
            #expect(alert(closing, nil) == RefusalAlert.close)
        }
        #expect(RefusalAlert.alert(for: .cleartext) == RefusalAlert.close)
        #expect(RefusalAlert.alert(for: .network(.refused)) == RefusalAlert.close)
    }
}

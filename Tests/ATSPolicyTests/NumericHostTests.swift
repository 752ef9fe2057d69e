import ATSPolicy
import Testing
import Text

/// Hosts that are not dotted addresses, but that a resolver reads as addresses.
@Suite struct NumericHostTests {
    /// Spellings of 192.0.2.2 (RFC 5737) and of 127.0.0.1.
    private static let remote = ["3221225986", "0xc0000202", "0xC0.0.514", "192.0.514", "192.514", "0300.0.02.2"]
    private static let loopback = ["127.1", "2130706433", "0x7f.1", "017700000001", "127.0.1"]

    @Test("a spelling of a public address is not a local name", arguments: remote)
    func remoteIsDenied(host: String) throws {
        let verdicts = try Verdicts([:], host: host)
        #expect(!verdicts.isCleartextAllowed)
        #expect(!verdicts.cleartext.basis.isLocal)
        #expect(verdicts.cleartext.basis.confidence == .inferred)
        #expect(verdicts.cleartext.basis.notes.contains { $0.contains("192.0.2.2") })
        #expect(try !Verdicts(["NSAllowsLocalNetworking": true], host: host).isCleartextAllowed)
    }

    @Test("a spelling of a loopback address is judged like 127.0.0.1", arguments: loopback)
    func loopbackIsLocal(host: String) throws {
        let plain = try Verdicts([:], host: "127.0.0.1")
        let spelled = try Verdicts([:], host: host)
        #expect(spelled.isCleartextAllowed == plain.isCleartextAllowed)
        #expect(spelled.cleartext.basis.step == plain.cleartext.basis.step && spelled.cleartext.basis.isLocal)
    }

    @Test func entriesForTheAddressServeItsSpellings() throws {
        let exact: PropertyValue = ["NSExceptionDomains": ["192.0.2.2": ["NSExceptionAllowsInsecureHTTPLoads": true]]]
        let range: PropertyValue = [
            "NSExceptionDomains": ["192.0.2.0/24": ["NSExceptionAllowsInsecureHTTPLoads": true]]
        ]
        let byName: PropertyValue = ["NSExceptionDomains": ["3221225986": ["NSExceptionAllowsInsecureHTTPLoads": true]]]
        for host in Self.remote {
            #expect(try Verdicts(exact, host: host).isCleartextAllowed)
            #expect(try Verdicts(range, host: host).isCleartextAllowed)
        }
        #expect(try Verdicts(byName, host: "3221225986").isCleartextAllowed)
        #expect(try !Verdicts(byName, host: "0xc0000202").isCleartextAllowed)
    }

    @Test func pinsOfTheAddressHoldForItsSpellings() throws {
        let pins: PropertyValue = [
            "NSPinnedDomains": ["192.0.2.2": ["NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": "key"]]]]
        ]
        #expect(try Verdicts(pins, host: "192.0.2.2").demands?.pins?.leaf == ["key"])
        #expect(try Verdicts(pins, host: "192.0.514").demands?.pins?.leaf == ["key"])
    }

    @Test func pinsOfTheAppHoldForItsSpellings() {
        let trust = AppTrust(pins: [AppPin(host: "192.0.2.2", .publicKey(sha256: "other"))])
        let handshake = RuleCases.good {
            $0.host = "192.0.514"
            $0.facts.path[0].ipAddresses = ["192.0.2.2"]
        }
        let verdict = trust.judge(RuleBook.standard.judge(handshake), of: handshake)
        #expect(verdict.rule == .appPin)
    }

    @Test func aCertificateForTheAddressIsOneForItsSpellings() {
        let handshake = RuleCases.good {
            $0.host = "0xc0000202"
            $0.facts.path[0].dnsNames = []
            $0.facts.path[0].ipAddresses = ["192.0.2.2"]
        }
        #expect(RuleBook.standard.findings(on: handshake).isEmpty)
    }

    @Test func theRemedyNamesTheAddress() throws {
        let target = LoadTarget(scheme: .http, host: "3221225986", port: 80)
        let basis = try Verdicts([:], host: "3221225986").cleartext.basis
        let verdict = RuleBook.standard.judgeCleartext(to: target, basis: basis, profile: .newest)
        #expect(verdict.remedy?.exception?.domain == "192.0.2.2")
        #expect(target.address == IPAddress("192.0.2.2"))
    }

    @Test("names that only look numeric stay names", arguments: ["1password.com", "3com", "0x", "127.1.", "1.2.3.4.5"])
    func names(host: String) throws {
        let target = LoadTarget(scheme: .http, host: host, port: 80)
        #expect(target.address == nil)
        #expect(try Verdicts([:], host: host).cleartext.basis.notes.allSatisfy { !$0.contains("resolver") })
    }
}

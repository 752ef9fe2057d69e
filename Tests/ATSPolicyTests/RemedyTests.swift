import ATSPolicy
import Testing

@Suite struct RemedyTests {
    private typealias Setting = ExceptionFix.Setting

    private func remedy(
        _ profile: OSProfile = .iOS18_4, _ change: (inout HandshakeCase) -> Void
    ) throws -> Remedy {
        try #require(RuleBook.standard.judge(RuleCases.good(profile, change)).remedy)
    }

    private func cleartext(_ host: String, _ basis: RulingBasis) throws -> Remedy {
        let target = LoadTarget(scheme: .http, host: host, port: 80)
        return try #require(RuleBook.standard.judgeCleartext(to: target, basis: basis, profile: .iOS26).remedy)
    }

    @Test func cleartextNeedsOneKeyForOneHost() throws {
        let insecure = [Setting("NSExceptionAllowsInsecureHTTPLoads", .flag(true))]
        let plain = try cleartext("api.example.com", RuleCases.secureDefault)
        #expect(plain.exception == ExceptionFix(domain: "api.example.com", settings: insecure))
        #expect(
            plain.sentences
                == ["Serve api.example.com over https with TLS 1.2 or newer, and use an https URL in the app."])
        let address = try cleartext("2001:db8::1", RuleCases.secureDefault)
        #expect(address.exception?.domain == "2001:db8::1")
        let entry = try cleartext("api.example.com", RulingBasis(step: .exception, entry: "example.com"))
        #expect(entry.exception == ExceptionFix(domain: "example.com", settings: insecure))
    }

    @Test("no entry is proposed for an address on releases that read no address entries (before iOS 17)")
    func addressesOfOld() throws {
        let target = LoadTarget(scheme: .http, host: "10.0.0.5", port: 80)
        for profile in OSProfile.all {
            let verdict = RuleBook.standard.judgeCleartext(
                to: target, basis: RuleCases.secureDefault, profile: profile)
            let isRead = profile.release.generation >= OSVersion(17)
            #expect((verdict.remedy?.exception != nil) == isRead, "\(profile.name)")
            #expect((verdict.findings.first?.keyPath != nil) == isRead, "\(profile.name)")
            #expect(verdict.remedy?.sentences.last?.contains("only NSAllowsArbitraryLoads allows") == !isRead)
        }
        let old = try remedy(.iOS9) {
            $0.host = "10.0.0.5"
            $0.facts.version = .tls11
            $0.facts.path[0].ipAddresses = ["10.0.0.5"]
        }
        #expect(old.exception == nil && old.sentences.last?.contains("No exception helps: iOS 9") == true)
    }

    @Test func aLocalHostGetsAHintAtLocalNetworking() throws {
        let denied = RulingBasis(
            step: .siblingPresent, keyPath: "NSAppTransportSecurity.NSAllowsLocalNetworking", isLocal: true)
        let sentences = try cleartext("printer.local", denied).sentences
        #expect(sentences.count == 2)
        #expect(sentences.last?.contains("NSAllowsLocalNetworking") == true)
        let byEntry = RulingBasis(step: .exception, entry: "printer.local", isLocal: true)
        #expect(try cleartext("printer.local", byEntry).sentences.count == 1)
    }

    @Test func anOldVersionGetsItsMinimumIfTheReleaseStillSupportsIt() throws {
        let fix = try remedy { $0.facts.version = .tls10 }
        #expect(
            fix.exception
                == ExceptionFix(
                    domain: "api.example.com", settings: [Setting("NSExceptionMinimumTLSVersion", .text("TLSv1.0"))]))
        #expect(fix.sentences == ["Enable TLS 1.2 or newer."])
    }

    @Test func noKeyHelpsUnderTheFloor() throws {
        let fix = try remedy(.iOS26) { $0.facts.version = .tls11 }
        #expect(fix.exception == nil)
        #expect(
            fix.sentences == [
                "Enable TLS 1.2 or newer.",
                "No ATS key helps on iOS 26: apps linked with its SDK need TLS 1.2, so a lower "
                    + "NSExceptionMinimumTLSVersion has no effect. Code can lower it: "
                    + "URLSessionConfiguration.tlsMinimumSupportedProtocolVersion. For an app linked earlier, use "
                    + "--reading linked-sdk=ios18.",
            ])
    }

    @Test func anEntryThatRequiresTooMuchIsLowered() throws {
        let fix = try remedy(.iOS26) {
            $0.demands?.minimumTLS = .tls13
            $0.basis = RulingBasis(step: .exception, entry: "example.com")
        }
        #expect(
            fix.exception
                == ExceptionFix(
                    domain: "example.com", settings: [Setting("NSExceptionMinimumTLSVersion", .text("TLSv1.2"))]))
        #expect(fix.sentences == ["Enable TLS 1.3 or newer."])
    }

    @Test func bothKeysAreProposedIfBothAreNeeded() throws {
        let fix = try remedy {
            $0.facts.version = .tls11
            $0.facts.suite = RuleCases.staticRSA
        }
        #expect(
            fix.exception?.settings == [
                Setting("NSExceptionMinimumTLSVersion", .text("TLSv1.1")),
                Setting("NSExceptionRequiresForwardSecrecy", .flag(false)),
            ])
        #expect(fix.sentences.count == 2)
    }

    @Test func forwardSecrecyIsWaivedOnlyForSuitesThatTheReleaseThenOffers() throws {
        let fits = try remedy { $0.facts.suite = RuleCases.staticRSA }
        #expect(fits.exception?.settings == [Setting("NSExceptionRequiresForwardSecrecy", .flag(false))])
        let never = try remedy { $0.facts.suite = RuleCases.tripleDES }
        #expect(never.exception == nil)
        #expect(never.sentences.last?.hasPrefix("No ATS key helps: iOS 18.4 does not offer") == true)
        #expect(try remedy { $0.facts.suite = RuleCases.dhe }.exception == nil)
    }

    @Test("a diagnosis gives the same remedy as a handshake that finished")
    func diagnosed() throws {
        let diagnosis = RuleCases.good(.iOS18_4) { $0.facts.version = .tls10 }
        let verdict = RuleBook.standard.judge(
            .closed(reset: true), diagnosis: diagnosis, target: RuleCases.target, basis: RuleCases.secureDefault,
            demands: diagnosis.demands, offer: RuleCases.offer(.iOS18_4), profile: .iOS18_4)
        #expect(verdict.remedy?.exception?.settings == [Setting("NSExceptionMinimumTLSVersion", .text("TLSv1.0"))])
    }

    private static let trustBreakers: [@Sendable (inout HandshakeCase) -> Void] = [
        { RuleCases.selfSigned(&$0) },
        { $0.facts.anchor = .unknownRoot },
        { $0.facts.anchor = .incomplete },
        { $0.facts.anchor = .broken },
        { $0.facts.path[0].notAfter = RuleCases.now - 86_400 },
        { $0.facts.path[1].notBefore = RuleCases.now + 86_400 },
        { $0.host = "www.example.com" },
        { $0.facts.path[0].dnsNames = [] },
        { $0.facts.path[0].keyBits = 1_024 },
        { $0.facts.path[1].signatureHashBits = 160 },
    ]

    @Test("no exception fixes a bad certificate, even if an exception would fix the version")
    func trustHasNoException() throws {
        for change in Self.trustBreakers {
            for ats in [true, false] {
                let fix = try remedy {
                    change(&$0)
                    if !ats { $0.demands = nil }
                }
                #expect(fix.exception == nil)
                #expect(fix.sentences.count == 2)
                #expect(fix.sentences.last?.hasPrefix("No ATS key helps: ") == true)
            }
            let both = try remedy {
                change(&$0)
                $0.facts.version = .tls10
            }
            #expect(both.exception == nil)
        }
    }

    @Test("a remedy is an instruction and does not repeat the observation")
    func sentences() throws {
        let expired = try remedy { $0.facts.path[0].notAfter = RuleCases.now - 86_400 }
        #expect(expired.sentences.first == "Renew the certificate.")
        let weak = try remedy { $0.facts.path[1].keyBits = 1_024 }
        #expect(
            weak.sentences.first
                == "Reissue the certificate with an RSA key of at least 2048 bits or an EC key of at least 256 bits.")
        let name = try remedy { $0.host = "www.example.com" }
        #expect(name.sentences.first == "Serve a certificate that lists www.example.com in its subjectAltName.")
    }

    @Test("dates are right at the ends of years, in leap years and at the limits of Int64")
    func dates() throws {
        func day(_ seconds: Int64) throws -> String {
            let handshake = RuleCases.good {
                $0.now = Int64.max
                $0.facts.path[0].notAfter = seconds
            }
            let observed = try #require(RuleBook.standard.findings(on: handshake).first?.observed)
            return String(observed.suffix(10))
        }
        #expect(try day(0) == "1970-01-01")
        #expect(try day(-1) == "1969-12-31")
        #expect(try day(951_782_400) == "2000-02-29")
        #expect(try day(1_798_761_599) == "2026-12-31")
        #expect(try day(1_798_761_600) == "2027-01-01")
        #expect(try day(253_402_300_799) == "9999-12-31")
        #expect(try day(Int64.min) == "0001-01-01")
        #expect(try day(Int64.max - 1) == "9999-12-31")
    }
}

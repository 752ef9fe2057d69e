import ATSPolicy
import Testing

@Suite struct RuleOrderTests {
    private func order(_ change: (inout HandshakeCase) -> Void) -> [RuleID] {
        RuleBook.standard.findings(on: RuleCases.good(.iOS26, change)).map(\.rule)
    }

    @Test func everythingWrongAtOnceComesInTheOrderOfTheBook() {
        let found = order {
            $0.facts.version = .tls10
            $0.facts.suite = RuleCases.tripleDES
            $0.facts.anchor = .unknownRoot
            $0.host = "other.example.com"
            $0.facts.path[0].notAfter = RuleCases.now - 1
            $0.facts.path[0].keyBits = 1_024
            $0.facts.path[0].signatureHashBits = 160
        }
        #expect(
            found == [
                .tlsVersion, .forwardSecrecy, .cipherSuite, .untrustedRoot, .expired, .hostName, .keySize,
                .signatureHash,
            ])
    }

    @Test func weakKeyInATrustedChainDecides() {
        #expect(order { $0.facts.path[0].keyBits = 1_024 } == [.keySize])
    }

    @Test func sha1InATrustedChainDecides() {
        #expect(order { $0.facts.path[0].signatureHashBits = 160 } == [.signatureHash])
    }

    @Test func selfSignedDecidesOverItsOwnExpiry() {
        let found = order {
            RuleCases.selfSigned(&$0)
            $0.facts.path[0].notAfter = RuleCases.now - 1
            $0.facts.path[0].signatureHashBits = 160
        }
        #expect(found == [.selfSigned, .expired])
    }

    @Test("TLS 1.0 on iOS 26 by default is ats.tls-version, and no key is named, because none helps")
    func defaultMinimumDecides() throws {
        let findings = RuleBook.standard.findings(on: RuleCases.good { $0.facts.version = .tls10 })
        #expect(findings.map(\.rule) == [.tlsVersion])
        #expect(findings.first?.expected == "TLS 1.2 or newer")
        #expect(findings.first?.observed == "TLS 1.0")
        #expect(findings.first?.keyPath == nil)
    }

    @Test("TLS 1.0 that an entry allows is still under the floor of iOS 26")
    func voidExceptionIsTheFloor() {
        let findings = RuleBook.standard.findings(
            on: RuleCases.good {
                $0.facts.version = .tls10
                $0.facts.suite = RuleCases.oldECDHE
                $0.demands?.overruledMinimum = .tls10
                $0.basis = RulingBasis(step: .exception, entry: "example.com")
            })
        #expect(findings.map(\.rule) == [.osTLSFloor])
        #expect(
            findings.first?.keyPath
                == "NSAppTransportSecurity.NSExceptionDomains.example.com.NSExceptionMinimumTLSVersion")
    }

    @Test("an entry that asks for 1.1 is broken by 1.0, too, after the floor")
    func floorComesBeforeTheEntry() {
        let found = order {
            $0.facts.version = .tls10
            $0.demands?.overruledMinimum = .tls11
        }
        #expect(found == [.osTLSFloor, .tlsVersion])
    }

    @Test("with ATS off the floor still holds on iOS 26, and there is none on iOS 18.4")
    func floorWithoutDemands() {
        let old = RuleCases.good {
            $0.facts.version = .tls10
            $0.demands = nil
        }
        let findings = RuleBook.standard.findings(on: old)
        #expect(findings.map(\.rule) == [.osTLSFloor])
        #expect(findings.first?.keyPath == nil)
        let before = RuleCases.good(.iOS18_4) {
            $0.facts.version = .tls10
            $0.demands = nil
        }
        #expect(RuleBook.standard.findings(on: before).isEmpty)
    }

    @Test func dheIsASuiteProblemAndSaysWhy() {
        let findings = RuleBook.standard.findings(on: RuleCases.good { $0.facts.suite = RuleCases.dhe })
        #expect(findings.map(\.rule) == [.cipherSuite])
        #expect(findings.first?.observed.contains("forward secret, but ATS accepts only ECDHE") == true)
        #expect(findings.first?.keyPath == nil)
    }

    @Test func aKeyPathNamesTheHostOrItsEntry() {
        func keyPath(_ basis: RulingBasis) -> String? {
            RuleBook.standard.findings(
                on: RuleCases.good {
                    $0.facts.suite = RuleCases.staticRSA
                    $0.basis = basis
                }
            ).first?.keyPath
        }
        let prefix = "NSAppTransportSecurity.NSExceptionDomains"
        let key = "NSExceptionRequiresForwardSecrecy"
        #expect(keyPath(RuleCases.secureDefault) == "\(prefix).api.example.com.\(key)")
        #expect(keyPath(RulingBasis(step: .exception, entry: "example.com")) == "\(prefix).example.com.\(key)")
        #expect(
            keyPath(RulingBasis(step: .exception, entry: "example.com", isBuiltIn: true))
                == "\(prefix).api.example.com.\(key)")
    }
}

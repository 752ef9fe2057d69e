import ATSPolicy
import Testing

@Suite struct RuleOrderTests {
    private func order(_ change: (inout HandshakeCase) -> Void) -> [RuleID] {
        RuleBook.standard.findings(on: RuleCases.good(.iOS26, change)).map(\.rule)
    }

    @Test func allFindingsComeInTheOrderOfTheBook() {
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

    @Test("TLS 1.0 on iOS 26 by default is ats.tls-version, and names no key because none helps")
    func defaultMinimumDecides() throws {
        let findings = RuleBook.standard.findings(on: RuleCases.good { $0.facts.version = .tls10 })
        #expect(findings.map(\.rule) == [.tlsVersion])
        #expect(findings.first?.expected == "TLS 1.2 or newer")
        #expect(findings.first?.observed == "TLS 1.0")
        #expect(findings.first?.keyPath == nil)
    }

    @Test("TLS 1.0 that an entry allows is below the floor of iOS 26")
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

    @Test("TLS 1.0 under an entry that requires 1.1 breaks the floor first, then the entry")
    func floorComesBeforeTheEntry() {
        let found = order {
            $0.facts.version = .tls10
            $0.demands?.overruledMinimum = .tls11
        }
        #expect(found == [.osTLSFloor, .tlsVersion])
    }

    @Test("with ATS off the floor still applies on iOS 26; iOS 18.4 has none")
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

    @Test func dheIsASuiteProblemWithItsReason() {
        let findings = RuleBook.standard.findings(on: RuleCases.good { $0.facts.suite = RuleCases.dhe })
        #expect(findings.map(\.rule) == [.cipherSuite])
        #expect(findings.first?.observed.contains("ATS accepts ECDHE, but not DHE") == true)
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

import ATSPolicy
import Testing
import Text

@Suite struct RuleJudgeTests {
    private let book = RuleBook.standard

    private func judge(
        _ failure: HandshakeFailure, diagnosis: HandshakeCase? = nil, demands: TLSDemands?? = .none,
        profile: OSProfile = .iOS26
    ) -> HandshakeVerdict {
        book.judge(
            failure, diagnosis: diagnosis, target: RuleCases.target, basis: RuleCases.secureDefault,
            demands: demands ?? RuleCases.demands(profile), offer: RuleCases.offer(profile), profile: profile)
    }

    @Test("trust failures are strict only if ATS demands strict trust")
    func strictness() {
        #expect(book.judge(RuleCases.good(.iOS26, RuleCases.selfSigned)).failure == .trust(.selfSigned, isStrict: true))
        let lax = RuleCases.good {
            RuleCases.selfSigned(&$0)
            $0.demands?.strictTrust = false
        }
        #expect(book.judge(lax).failure == .trust(.selfSigned, isStrict: false))
        let free = RuleCases.good {
            RuleCases.selfSigned(&$0)
            $0.demands = nil
        }
        #expect(book.judge(free).failure == .trust(.selfSigned, isStrict: false))
        #expect(book.judge(free).rule == .selfSigned)
    }

    @Test func aFinishedHandshakeThatADeviceWouldNotFinishIsAHandshakeFailure() {
        let old = RuleCases.good { $0.facts.version = .tls11 }
        #expect(book.judge(old).failure == .handshake(.versionNotOffered, rule: .tlsVersion))
        let rsa = RuleCases.good { $0.facts.suite = RuleCases.staticRSA }
        #expect(book.judge(rsa).failure == .handshake(.alertReceived(40), rule: .forwardSecrecy))
        let dhe = RuleCases.good { $0.facts.suite = RuleCases.dhe }
        #expect(book.judge(dhe).failure == .handshake(.alertReceived(40), rule: .cipherSuite))
    }

    @Test(
        "a diagnosis gives the rule that a failed handshake broke",
        arguments: [HandshakeFailure.alertReceived(40), .closed(reset: true)])
    func diagnosisExplains(failure: HandshakeFailure) {
        let old = judge(failure, diagnosis: RuleCases.good { $0.facts.version = .tls10 })
        #expect(old.failure == .handshake(failure, rule: .tlsVersion))
        #expect(old.rule == .tlsVersion)
        let rsa = judge(failure, diagnosis: RuleCases.good { $0.facts.suite = RuleCases.staticRSA })
        #expect(rsa.failure == .handshake(failure, rule: .forwardSecrecy))
        let dhe = judge(failure, diagnosis: RuleCases.good { $0.facts.suite = RuleCases.dhe })
        #expect(dhe.failure == .handshake(failure, rule: .cipherSuite))
        let void = judge(
            failure,
            diagnosis: RuleCases.good {
                $0.facts.version = .tls10
                $0.demands?.overruledMinimum = .tls10
            })
        #expect(void.failure == .handshake(failure, rule: .osTLSFloor))
    }

    @Test func aDiagnosisThatFindsOnlyABadCertificateDoesNotExplainAnAlert() {
        let verdict = judge(
            .alertReceived(112), diagnosis: RuleCases.good { $0.facts.path[0].notAfter = RuleCases.now - 1 })
        #expect(verdict.findings.map(\.rule) == [.tlsAlert, .expired])
        #expect(verdict.failure == .handshake(.alertReceived(112), rule: nil))
        #expect(verdict.findings.first?.observed == "alert 112 (unrecognized name)")
        #expect(
            verdict.remedy?.sentences.dropFirst().first
                == "When offered everything, the server chose TLS 1.2 with TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256.")
    }

    @Test(
        "without a diagnosis the failure itself is the finding",
        arguments: [
            (HandshakeFailure.alertReceived(40), RuleID.tlsAlert), (.closed(reset: false), .tlsClosed),
            (.closed(reset: true), .tlsClosed), (.notTLS([0x48]), .tlsNotTLS), (.timeout, .tlsTimeout),
            (.library(1), .tlsAlert), (.versionNotOffered, .tlsVersion), (.suiteNotOffered, .cipherSuite),
        ])
    func withoutDiagnosis(failure: HandshakeFailure, rule: RuleID) {
        let verdict = judge(failure)
        #expect(verdict.rule == rule)
        #expect(verdict.findings.count == 1)
        #expect(verdict.findings.first?.keyPath == nil)
        #expect(verdict.failure == .handshake(failure, rule: rule.rawValue.hasPrefix("ats.") ? rule : nil))
        #expect(verdict.remedy?.exception == nil)
        #expect(verdict.remedy?.sentences.count == (failure == .versionNotOffered ? 2 : 1))
    }

    @Test("a chain that is too large for the gate is its own finding, and not a failure on a device")
    func chainTooLarge() {
        let verdict = judge(.chainTooLarge)
        #expect(verdict.rule == .gateChainSize && verdict.failure == nil)
        #expect(verdict.findings.first?.observed.contains("a device may") == true)
        #expect(verdict.remedy?.sentences.count == 1)
    }

    @Test("an answer below the offered versions breaks the rule that set the offer's minimum")
    func versionNotOfferedWithoutDiagnosis() {
        #expect(judge(.versionNotOffered, demands: .some(nil)).rule == .osTLSFloor)
        var void = RuleCases.demands(.iOS26)
        void.overruledMinimum = .tls10
        #expect(judge(.versionNotOffered, demands: void).rule == .osTLSFloor)
        #expect(
            judge(.versionNotOffered, profile: .iOS18_4).findings.first?.keyPath
                == "NSAppTransportSecurity.NSExceptionDomains.api.example.com.NSExceptionMinimumTLSVersion")
    }

    @Test(
        "an unreachable origin is a net.* finding",
        arguments: [
            (NetworkFailure.name(code: -2), RuleID.netName), (.refused, .netRefused), (.timeout, .netTimeout),
            (.reset(errno: 104), .netReset),
        ])
    func network(failure: NetworkFailure, rule: RuleID) {
        let verdict = book.judge(failure, target: RuleCases.target)
        #expect(verdict.rule == rule)
        #expect(verdict.failure == .network(failure))
        #expect(verdict.remedy == nil)
    }

    @Test(
        "the gate's own limits give a finding, but no failure on a device",
        arguments: [
            (NetworkFailure.noDescriptors, RuleID.gateDescriptors), (.ownAddress, .gateLoop),
            (.forbidden, .gateForbidden),
        ])
    func own(failure: NetworkFailure, rule: RuleID) {
        let verdict = book.judge(failure, target: RuleCases.target)
        #expect(verdict.rule == rule)
        #expect(verdict.failure == nil)
    }

    @Test(
        "a failing parent proxy is named with its answer, and is not a failure on a device",
        arguments: [
            (ParentTrouble.answered(status: 407), "credentials"), (.answered(status: 503), "503"),
            (.refused, "refused"),
            (.name(code: -2), SystemWords.resolver(-2)), (.timeout, "in time"),
            (.reset(errno: 104), SystemWords.error(104)), (.gaveNoAnswer, "did not answer with HTTP"),
        ])
    func parent(trouble: ParentTrouble, words: String) {
        let verdict = book.judge(.parent("proxy.test:3128", trouble), target: RuleCases.target)
        #expect(verdict.rule == .netParent)
        #expect(verdict.failure == nil)
        let observed = verdict.findings.first?.observed ?? ""
        #expect(observed.hasPrefix("the parent proxy proxy.test:3128 ") && observed.contains(words))
    }

    @Test func aDeniedCleartextLoadNamesTheKeyThatDecided() {
        let target = LoadTarget(scheme: .http, host: "api.example.com", port: 8080)
        let byDefault = book.judgeCleartext(to: target, basis: RuleCases.secureDefault, profile: .iOS26)
        #expect(byDefault.rule == .cleartextLoad)
        #expect(byDefault.failure == .cleartext)
        #expect(byDefault.findings.first?.observed == "http://api.example.com:8080 is cleartext")
        #expect(
            byDefault.findings.first?.keyPath
                == "NSAppTransportSecurity.NSExceptionDomains.api.example.com.NSExceptionAllowsInsecureHTTPLoads")
        let key = "NSAppTransportSecurity.NSAllowsLocalNetworking"
        let byKey = RulingBasis(step: .siblingPresent, keyPath: key)
        #expect(book.judgeCleartext(to: target, basis: byKey, profile: .iOS26).findings.first?.keyPath == key)
    }
}

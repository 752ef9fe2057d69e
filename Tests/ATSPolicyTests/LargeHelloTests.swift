import ATSPolicy
import Testing

/// An origin that fails the large hello of 26: the conclusion from two handshakes, as values.
@Suite("a server that fails the large hello")
struct LargeHelloTests {
    private static let offer = TLSOffer(
        minimum: .tls12, maximum: .tls13, suites: OSProfile.iOS26.atsSuites, shape: .ios26)

    private func judge(
        _ failure: HandshakeFailure, on profile: OSProfile = .iOS26, _ change: (inout HandshakeCase) -> Void = { _ in }
    ) -> HandshakeVerdict {
        var accepted = RuleCases.good(profile)
        accepted.facts.groupLeftOut = HelloShape.hybridGroupName
        change(&accepted)
        return RuleBook.standard.judge(
            failure, diagnosis: accepted,
            target: LoadTarget(scheme: .https, host: accepted.host, port: 443), basis: accepted.basis,
            demands: accepted.demands, offer: Self.offer, profile: profile)
    }

    @Test(
        "a small hello that succeeds after a large one failed is the finding",
        arguments: [HandshakeFailure.closed(reset: true), .closed(reset: false), .alertReceived(40), .timeout])
    func found(failure: HandshakeFailure) {
        let verdict = judge(failure)
        #expect(verdict.findings.map(\.rule) == [.tlsLargeHello])
        #expect(verdict.failure == .handshake(failure, rule: nil))
        #expect(verdict.findings.first?.observed.hasSuffix("; without that group, TLS 1.2 succeeds") == true)
        #expect(verdict.findings.first?.confidence == .inferred)
        #expect(verdict.remedy?.exception == nil && verdict.remedy?.advice.allSatisfy(\.isForServer) == true)
    }

    @Test("other faults of the server follow the finding") func others() {
        let verdict = judge(.closed(reset: true)) { $0.facts.path[0].notAfter = RuleCases.now - 1 }
        #expect(verdict.findings.map(\.rule) == [.tlsLargeHello, .expired])
        #expect(verdict.failure == .handshake(.closed(reset: true), rule: nil))
    }

    @Test("a device that repeats the handshake without the group loads, with the finding as a warning")
    func retry() throws {
        var switches = JudgeSwitches()
        #expect(try #require(SwitchSetting("hybrid-retry=on")).name == "hybrid-retry")
        switches.take(try #require(SwitchSetting("hybrid-retry=on")))
        let profile = Judge(declaration: .secureDefaults, profile: .iOS26, switches: switches).profile
        #expect(profile.retriesWithoutHybridGroup && !OSProfile.iOS26.retriesWithoutHybridGroup)
        let verdict = judge(.closed(reset: true), on: profile)
        #expect(verdict.findings.map(\.rule) == [.tlsLargeHello] && verdict.failure == nil)
        let expired = judge(.closed(reset: true), on: profile) { $0.facts.path[0].notAfter = RuleCases.now - 1 }
        #expect(expired.findings.map(\.rule) == [.expired] && expired.failure != nil)
    }

    @Test("the small hello follows only failures of a large hello that show no answer to it")
    func trials() {
        let small = Self.offer.withoutHybridGroup
        for failure in [HandshakeFailure.closed(reset: true), .alertReceived(40)] {
            #expect(HelloTrial.device.next(after: failure, of: Self.offer) == .withoutHybridGroup)
            #expect(HelloTrial.device.next(after: failure, of: small) == .everything)
            #expect(HelloTrial.withoutHybridGroup.next(after: failure, of: Self.offer) == .everything)
        }
        #expect(HelloTrial.device.next(after: .timeout, of: Self.offer) == .withoutHybridGroup)
        #expect(HelloTrial.device.next(after: .timeout, of: small) == nil)
        #expect(HelloTrial.withoutHybridGroup.next(after: .timeout, of: Self.offer) == nil)
        #expect(HelloTrial.device.next(after: .versionNotOffered, of: Self.offer) == .everything)
        for failure in [HandshakeFailure.notTLS([0x48]), .chainTooLarge] {
            #expect(HelloTrial.device.next(after: failure, of: Self.offer) == nil)
        }
        #expect(HelloTrial.everything.next(after: .closed(reset: true), of: Self.offer) == nil)
    }

    @Test("each trial has its own hello") func offers() {
        #expect(HelloTrial.device.offer(Self.offer) == Self.offer)
        #expect(HelloTrial.withoutHybridGroup.offer(Self.offer).shape == .ios18)
        #expect(HelloTrial.everything.offer(Self.offer) == .diagnostic)
    }

    @Test("a signature and a group that the release does not offer are named in the fix")
    func unoffered() {
        func sentences(_ profile: OSProfile, _ change: (inout HandshakeFacts) -> Void) -> [String] {
            var accepted = RuleCases.good(profile)
            change(&accepted.facts)
            let offer = TLSOffer(
                minimum: .tls12, maximum: .tls13, suites: profile.atsSuites, shape: profile.helloShape)
            return RuleBook.standard.judge(
                .alertReceived(40), diagnosis: accepted,
                target: LoadTarget(scheme: .https, host: accepted.host, port: 443), basis: accepted.basis,
                demands: accepted.demands, offer: offer, profile: profile
            ).remedy?.sentences ?? []
        }
        let ed25519 = sentences(.iOS18_4) { $0.signature = HandshakeSignature(.eddsa, hashBits: nil) }
        #expect(ed25519.contains { $0.hasPrefix("It signed with EdDSA (Ed25519 or Ed448), which iOS 18.4 does not") })
        let hybrid = sentences(.iOS18_4) { $0.group = HelloShape.hybridGroupName }
        #expect(hybrid.contains { $0.hasPrefix("It chose the group X25519MLKEM768, which iOS 18.4 does not offer") })
        let known = sentences(.iOS26) {
            $0.group = HelloShape.hybridGroupName
            $0.signature = HandshakeSignature(.ecdsa, hashBits: 256)
        }
        #expect(!known.contains { $0.contains("does not offer") })
    }

    @Test("every release has one of the recorded shapes", arguments: OSProfile.all)
    func shapes(profile: OSProfile) {
        let shape = profile.helloShape
        #expect(shape.keyShares.allSatisfy(shape.groups.contains))
        #expect(shape.offersHybridGroup == (profile.release.generation >= OSVersion(26)))
        #expect(!shape.withoutHybridGroup.offersHybridGroup)
    }
}

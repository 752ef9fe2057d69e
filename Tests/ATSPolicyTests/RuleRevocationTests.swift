import ATSPolicy
import Testing

/// Evidence that comes with a chain: a stapled OCSP response, and timestamps checked with a list of logs.
@Suite struct RuleRevocationTests {
    private static let revoked = StapledAnswer(
        .revoked(at: RuleCases.now - 86_400, reason: 1), thisUpdate: RuleCases.now - 1, nextUpdate: RuleCases.now + 1)

    @Test("a revoked leaf fails trust on every release, marked as inferred, and no key fixes it")
    func revokedLeaf() {
        for profile in OSProfile.all {
            let verdict = RuleBook.standard.judge(RuleCases.good(profile) { $0.facts.staple = Self.revoked })
            #expect(verdict.failure == .trust(.revoked, isStrict: true))
            #expect(verdict.findings.map(\.confidence) == [.inferred])
            #expect(
                verdict.findings.first?.observed
                    == "leaf “api.example.com” was revoked on 2026-09-20 (keyCompromise)")
            #expect(verdict.remedy?.exception == nil)
            #expect(verdict.remedy?.sentences.first?.hasPrefix("Replace the certificate") == true)
        }
    }

    @Test("the app's own code may accept a revoked certificate if ATS is not strict")
    func overridden() {
        let handshake = RuleCases.good {
            $0.facts.staple = Self.revoked
            $0.demands = nil
        }
        let verdict = AppTrust(override: .everywhere).judge(RuleBook.standard.judge(handshake), of: handshake)
        #expect(verdict.failure == nil)
        #expect(verdict.findings.map(\.rule) == [.appTrustOverride, .revoked])
    }

    @Test("the age of the log list decides: a fresh list blocks, an old or missing list warns")
    func listAge() {
        func answer(_ review: SCTReview?) -> RuleAnswer? {
            var facts = RuleCases.facts
            facts.sctReview = review
            let good = RuleCases.good()
            let handshake = HandshakeCase(
                facts: facts, host: good.host, demands: good.demands, profile: good.profile, now: good.now,
                basis: good.basis)
            return RuleBook.standard.rule(.certificateTransparency)?.answer(on: handshake)
        }
        let day: Int64 = 86_400
        #expect(answer(nil)?.outcome == .warn)
        #expect(answer(SCTReview())?.outcome == .fail)
        #expect(answer(SCTReview(listTime: RuleCases.now - 59 * day))?.outcome == .fail)
        #expect(answer(SCTReview(listTime: RuleCases.now - 60 * day))?.outcome == .warn)
        #expect(answer(SCTReview(listTime: Int64.min))?.outcome == .warn)
    }

    @Test("a finding about timestamps lists why the others do not count")
    func words() {
        let review = SCTReview(
            counted: [CountedSCT(source: .embedded, time: RuleCases.now + 1)],
            refused: [.badSignature, .unknownLog, .unknownLog])
        var handshake = RuleCases.good()
        handshake.facts.sctReview = review
        handshake.transparency = .verified
        #expect(
            RuleBook.standard.findings(on: handshake).map(\.observed) == [
                "0 in the certificate, 0 in the handshake, 0 in the stapled OCSP response; not counted: "
                    + "2 unknown-log, 1 bad-signature, 1 dated in the future"
            ])
    }
}

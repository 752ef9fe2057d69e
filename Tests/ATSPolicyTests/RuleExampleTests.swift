import ATSPolicy
import Testing

@Suite struct RuleExampleTests {
    @Test("every rule gives the expected outcome for its own examples", arguments: RuleBook.standard.rules.map(\.id))
    func examplesHold(id: RuleID) throws {
        let rule = try #require(RuleBook.standard.rules.first { $0.id == id })
        #expect(rule.examples.contains { $0.expected == .fail })
        #expect(rule.examples.contains { $0.expected == .pass })
        for example in rule.examples {
            #expect(rule.answer(on: example.handshake).outcome == example.expected, "\(id.rawValue): \(example.title)")
        }
    }

    @Test("every rule of ATS has an example of a load for which it is not in force")
    func atsRulesHaveExamplesOutOfForce() {
        for rule in RuleBook.standard.rules where rule.id.rawValue.hasPrefix("ats.") {
            #expect(rule.examples.contains { $0.expected == .notInForce }, "\(rule.id.rawValue)")
        }
    }

    @Test func everyRuleIsInTheBookOnce() {
        let ids = RuleBook.standard.rules.map(\.id)
        #expect(Set(ids).count == ids.count)
        for rule in RuleBook.standard.rules {
            #expect(PublicDocument(citedFirstIn: rule.source) != nil && !rule.title.isEmpty)
            #expect(PublicDocument.topic(of: rule.source)?.hasPrefix("docs/law/") == true)
        }
    }

    @Test("a good handshake breaks no rule", arguments: OSProfile.all.map(\.name))
    func goodHandshakePasses(profile: String) throws {
        let handshake = RuleCases.good(try #require(OSProfile.named(profile)))
        #expect(RuleBook.standard.findings(on: handshake).isEmpty)
        let verdict = RuleBook.standard.judge(handshake)
        #expect(verdict == HandshakeVerdict(findings: [], failure: nil, remedy: nil))
    }

    @Test("of the ATS and the trust rule for keys and for hashes, exactly one reports a finding")
    func onlyOneTwinSpeaks() {
        let weak = RuleCases.good {
            $0.facts.path[0].keyBits = 1_024
            $0.facts.path[0].signature = "sha1WithRSAEncryption"
            $0.facts.path[0].signatureHashBits = 160
        }
        #expect(RuleBook.standard.findings(on: weak).map(\.rule) == [.keySize, .signatureHash])
        var free = weak
        free.demands = nil
        #expect(RuleBook.standard.findings(on: free).map(\.rule) == [.trustKeySize, .trustSignatureHash])
    }
}

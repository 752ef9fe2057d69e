import ATSPolicy
import Testing

/// The ids, categories and defects that rules declare, which other code relies on.
@Suite struct RuleDeclarationTests {
    @Test("an id begins with its category, and its text gives the id back", arguments: RuleID.allCases)
    func idsAreWellFormed(id: RuleID) {
        #expect(id.rawValue.hasPrefix(id.category.rawValue + "."))
        #expect(RuleID(rawValue: id.rawValue) == id)
        #expect(RuleCategory(ofRule: id.rawValue) == id.category)
    }

    @Test("the category is read even from an id of a later version", arguments: RuleCategory.allCases)
    func laterIds(category: RuleCategory) {
        #expect(RuleCategory(ofRule: category.rawValue + ".made-up") == category)
        for id in [category.rawValue, "." + category.rawValue, category.rawValue + "s.made-up", ""] {
            #expect(RuleCategory(ofRule: id) == nil)
        }
    }

    @Test func idsAreUnique() {
        #expect(Set(RuleID.allCases.map(\.rawValue)).count == RuleID.allCases.count)
        #expect(RuleID(rawValue: "trust.made-up") == nil)
        #expect(RuleID.allCases.contains(.gateFault))
    }

    @Test func failuresOfATSTrustAndTheAppAreBlocked() {
        #expect(RuleCategory.allCases.filter(\.isBlocking) == [.ats, .trust, .app])
        #expect(LoadFailure.cleartext.isBlockedByRules)
        #expect(LoadFailure.trust(.expired, isStrict: false).isBlockedByRules)
        #expect(LoadFailure.handshake(.alertReceived(40), rule: .forwardSecrecy).isBlockedByRules)
        #expect(!LoadFailure.handshake(.alertReceived(40), rule: .tlsAlert).isBlockedByRules)
        #expect(!LoadFailure.handshake(.alertReceived(40), rule: nil).isBlockedByRules)
        #expect(!LoadFailure.network(.refused).isBlockedByRules)
    }

    @Test func onlyDefectsOfALeafAreMirrored() {
        let mirrored = Dictionary(
            uniqueKeysWithValues: RuleID.allCases.compactMap { id in id.mirrored.map { (id, $0) } })
        #expect(
            mirrored == [
                .selfSigned: .selfSigned, .incompleteChain: .untrustedIssuer, .untrustedRoot: .untrustedIssuer,
                .unknownRoot: .untrustedIssuer,
                .expired: .expired, .notYetValid: .notYetValid, .hostName: .hostName, .noSAN: .noSubjectAltName,
                .serverAuthEKU: .clientAuthOnly, .validityPeriod: .validityPeriod, .keySize: .weakKey,
                .trustKeySize: .weakKey, .signatureHash: .weakHash, .trustSignatureHash: .weakHash,
            ])
    }
}

extension RuleID {
    public static let trustSignatureHash = RuleID("trust.signature-hash", .trust)
}

extension Rule {
    /// The system's own rule since iOS 11, and since iOS 13 also under a root that the user trusts: SHA-1 and older are
    /// rejected, SHA-224 is not. Source: Apple Platform Security, TLS security; Apple support 103769; Security,
    /// SecPolicy.c; docs/law/trust.md#signature-hash, docs/law/trust.md#certificate-scope.
    static let trustSignatureHash = Rule(
        .trustSignatureHash, "Certificate signed with a hash too weak for the system",
        source: "Apple Platform Security, TLS security; Apple support 103769; docs/law/trust.md#signature-hash",
        confidence: .documented,
        consequence: .certificate(.trust, mirrored: .weakHash, remedy: { _, _ in hashRemedy }),
        check: { handshake in
            guard let left = handshake.certificatesUnderSystem() else { return .notInForce }
            guard handshake.facts.anchor != .user || handshake.profile.hasRequirementsOf2019 else {
                return .notInForce
            }
            return weakHash(
                in: handshake, among: left, leastBits: leastSystemHashBits, expected: "signatures with a SHA-2 hash")
        },
        examples: {
            hashExamples(inForce: { $0.demands = nil }) + [
                RuleExample("SHA-224", .pass) {
                    $0.demands = nil
                    $0.changeLeaf { $0.setHash("SHA224", 224) }
                },
                RuleExample("SHA-1 on iOS 11, under an untrusted root", .fail) {
                    $0.profile = .iOS11
                    $0.demands = nil
                    $0.facts.anchor = .unknownRoot
                    $0.changeLeaf { $0.setHash("sha1", 160) }
                },
                RuleExample("SHA-1 on iOS 11, under a root that the user trusts", .notInForce) {
                    $0.profile = .iOS11
                    $0.demands = nil
                    $0.facts.anchor = .user
                    $0.changeLeaf { $0.setHash("sha1", 160) }
                },
                RuleExample("SHA-1 on iOS 10", .notInForce) {
                    $0.profile = .iOS10
                    $0.demands = nil
                    $0.changeLeaf { $0.setHash("sha1", 160) }
                },
                RuleExample("ATS has a higher minimum", .notInForce) { $0.changeLeaf { $0.setHash("sha1", 160) } },
                RuleExample("ATS checks only the leaf (C5), the system the rest", .fail) {
                    $0.demands?.checksLeafOnly = true
                    $0.changePath(at: 1) { $0.setHash("sha1", 160) }
                },
            ]
        }
    )
    .inForce { $0.hasRules(of: OSVersion(11)) }
}

extension RuleID {
    public static let noSAN = RuleID("trust.no-san", .trust)
}

extension Rule {
    /// The common name has not counted since iOS 13. Source: Apple support 103769;
    /// docs/law/trust.md#subject-alternative-name.
    static let noSAN = Rule(
        .noSAN, "Certificate without a subjectAltName",
        source: "Apple support 103769; docs/law/trust.md#subject-alternative-name",
        confidence: .documented,
        consequence: .certificate(
            .trust, mirrored: .noSubjectAltName,
            lax: { _ in StreamStatus(-9843, "errSSLHostNameMismatch", .inferred) },
            remedy: { handshake, _ in nameRemedy(handshake) }),
        check: { handshake in
            guard let leaf = handshake.leaf else { return .notApplicable }
            guard !leaf.hasSubjectAltName else { return .pass }
            return .fail(
                expected: "a subjectAltName for \(handshake.host)",
                observed: "only the common name \(leaf.quotedName), which is ignored")
        },
        examples: {
            [
                RuleExample("only a common name", .fail) { $0.changeLeaf { $0.dnsNames = [] } },
                RuleExample("one DNS name", .pass),
                RuleExample("one address", .pass) {
                    $0.changeLeaf {
                        $0.dnsNames = []
                        $0.ipAddresses = ["192.0.2.1"]
                    }
                },
                RuleExample("no certificate was seen", .notApplicable) {
                    $0.facts.path = []
                    $0.facts.served = []
                },
            ]
        }
    )
    .inForce { $0.hasRequirementsOf2019 }
}

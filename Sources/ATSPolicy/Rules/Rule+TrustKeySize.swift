extension RuleID {
    public static let trustKeySize = RuleID("trust.key-size", .trust)
}

extension Rule {
    /// The system's own minimum, for loads to which ATS's does not apply: RSA of 2048 bits since iOS 11, and the other
    /// minimums of ATS since iOS 13. Source: Apple Platform Security, TLS security; Apple support 103769;
    /// docs/law/trust.md#key-size.
    static let trustKeySize = Rule(
        .trustKeySize, "Certificate key too short for the system",
        source: "Apple Platform Security, TLS security; Apple support 103769; docs/law/trust.md#key-size",
        confidence: .documented,
        consequence: .certificate(.trust, mirrored: .weakKey, remedy: { _, _ in keyRemedy }),
        check: { handshake in
            let isWaived = handshake.demands?.waivesKeySize == true
            guard let left = handshake.certificatesUnderSystem(isWaived: isWaived) else { return .notInForce }
            return weakKey(in: handshake, among: left, onlyRSA: !handshake.profile.hasRequirementsOf2019)
        },
        examples: {
            keySizeExamples(inForce: { $0.demands = nil }) + [
                RuleExample("ATS has the same minimum", .notInForce) { $0.changeLeaf { $0.keyBits = 192 } },
                RuleExample("ATS waives it (C4), the system does not", .fail) {
                    $0.demands?.waivesKeySize = true
                    $0.changeLeaf { $0.keyBits = 192 }
                },
                RuleExample("ATS checks only the leaf (C5), the system the rest", .fail) {
                    $0.demands?.checksLeafOnly = true
                    $0.changePath(at: 1) { $0.setKey(.rsa, 1_024) }
                },
                RuleExample("RSA of 2047 bits on iOS 11", .fail) {
                    $0.profile = .iOS11
                    $0.demands = nil
                    $0.changeLeaf { $0.setKey(.rsa, 2_047) }
                },
                RuleExample("EC of 192 bits on iOS 11", .pass) {
                    $0.profile = .iOS11
                    $0.demands = nil
                    $0.changeLeaf { $0.setKey(.ec, 192) }
                },
                RuleExample("RSA of 1024 bits on iOS 10", .notInForce) {
                    $0.profile = .iOS10
                    $0.demands = nil
                    $0.changeLeaf { $0.setKey(.rsa, 1_024) }
                },
                RuleExample("a short leaf key, which ATS checks", .pass) {
                    $0.demands?.checksLeafOnly = true
                    $0.changeLeaf { $0.keyBits = 192 }
                },
            ]
        }
    )
    .inForce { $0.hasRules(of: OSVersion(11)) }
}

extension RuleID {
    public static let trustKeySize = RuleID("trust.key-size", .trust)
}

extension Rule {
    /// The same minimum as a rule of the system since iOS 13, for loads of which ATS asks nothing. What of it held on
    /// iOS 11 and 12 is not known. Source: Apple support 103769; docs/law/trust.md#key-size.
    static let trustKeySize = Rule(
        .trustKeySize, "Certificate key too short for the system",
        source: "Apple support 103769; docs/law/trust.md#key-size", confidence: .documented,
        consequence: .certificate(.trust, mirrored: .weakKey, remedy: { _, _ in keyRemedy }),
        check: { handshake in
            let isWaived = handshake.demands?.waivesKeySize == true
            guard let left = handshake.certificatesUnderSystem(isWaived: isWaived) else { return .notInForce }
            return weakKey(in: handshake, among: left)
        },
        examples: {
            keySizeExamples(inForce: { $0.demands = nil }) + [
                RuleExample("ATS asks for the same", .notInForce) { $0.changeLeaf { $0.keyBits = 192 } },
                RuleExample("ATS waives it (C4), the system does not", .fail) {
                    $0.demands?.waivesKeySize = true
                    $0.changeLeaf { $0.keyBits = 192 }
                },
                RuleExample("ATS asks the leaf alone (C5), the system the rest", .fail) {
                    $0.demands?.checksLeafOnly = true
                    $0.changePath(at: 1) { $0.setKey(.rsa, 1_024) }
                },
                RuleExample("the leaf is ATS's own to measure", .pass) {
                    $0.demands?.checksLeafOnly = true
                    $0.changeLeaf { $0.keyBits = 192 }
                },
            ]
        }
    )
    .inForce { $0.hasRequirementsOf2019 }
}

extension RuleID {
    public static let keySize = RuleID("ats.key-size", .ats)
}

extension Rule {
    /// ATS's minimum for every key below the anchor, not only the leaf's. Source: Apple, Preventing Insecure Network
    /// Connections; Security, SecPolicy.c; docs/law/trust.md#ats-minimums, docs/law/trust.md#certificate-scope (C5). No
    /// plist key waives it (C4). A switch selects the other reading of each.
    static let keySize = Rule(
        .keySize, "Certificate key too short for ATS",
        source: "Apple, Preventing Insecure Network Connections; docs/law/trust.md#ats-minimums", confidence: .source,
        consequence: .certificate(.keySize, mirrored: .weakKey, remedy: { _, _ in keyRemedy }),
        check: { handshake in
            guard let demands = handshake.demands, demands.certificateFloor, !demands.waivesKeySize else {
                return .notInForce
            }
            return weakKey(in: handshake, among: handshake.certificatesUnderATS)
        },
        examples: {
            keySizeExamples(inForce: { _ in }) + [
                RuleExample("ATS does not apply", .notInForce) {
                    $0.demands = nil
                    $0.changeLeaf { $0.keyBits = 192 }
                },
                RuleExample("an entry without forward secrecy waives it, as documented (C4)", .notInForce) {
                    $0.demands?.waivesKeySize = true
                    $0.changeLeaf { $0.keyBits = 192 }
                },
                RuleExample("only the leaf is checked, as documented (C5)", .pass) {
                    $0.demands?.checksLeafOnly = true
                    $0.changePath(at: 1) { $0.setKey(.rsa, 1_024) }
                },
            ]
        })
}

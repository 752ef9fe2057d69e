extension RuleID {
    public static let signatureHash = RuleID("ats.signature-hash", .ats)
}

extension Rule {
    /// ATS's minimum for every signature below the anchor. A certificate's signature on itself proves nothing and is
    /// not checked. Source: Apple, Preventing Insecure Network Connections; Security, SecPolicy.c;
    /// docs/law/trust.md#ats-minimums, docs/law/trust.md#certificate-scope (C5). No plist key waives it.
    static let signatureHash = Rule(
        .signatureHash, "Certificate signed with a hash too weak for ATS",
        source: "Apple, Preventing Insecure Network Connections; docs/law/trust.md#ats-minimums", confidence: .source,
        consequence: .certificate(
            { isLeafWeak($0) ? .leafHash : .chainHash }, mirrored: .weakHash, remedy: { _, _ in hashRemedy }),
        check: { handshake in
            guard let demands = handshake.demands, demands.certificateFloor else { return .notInForce }
            return weakHash(
                in: handshake, among: handshake.certificatesUnderATS, leastBits: leastATSHashBits,
                expected: "signatures with SHA-256 or stronger")
        },
        examples: {
            hashExamples(inForce: { _ in }) + [
                RuleExample("SHA-224", .fail) { $0.changeLeaf { $0.setHash("SHA224", 224) } },
                RuleExample("only the leaf is checked, as documented (C5)", .pass) {
                    $0.demands?.checksLeafOnly = true
                    $0.changePath(at: 1) { $0.setHash("sha1", 160) }
                },
                RuleExample("ATS does not apply", .notInForce) {
                    $0.demands = nil
                    $0.changeLeaf { $0.setHash("sha1", 160) }
                },
            ]
        })

    /// True if the leaf's own signature is weak; Apple has an error code for each case
    /// (docs/law/errors.md#stream-codes).
    private static func isLeafWeak(_ facts: HandshakeFacts?) -> Bool {
        guard let leaf = facts?.path.first ?? facts?.served.first else { return true }
        return leaf.signatureHashBits.map { $0 < leastATSHashBits } ?? false
    }
}

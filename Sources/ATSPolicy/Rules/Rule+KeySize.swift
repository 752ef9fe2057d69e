extension RuleID {
    public static let keySize = RuleID("ats.key-size", .ats)
    public static let trustKeySize = RuleID("trust.key-size", .trust)
}

extension Rule {
    /// Every key below the anchor, not only the leaf's. Source: `ats-semantics.md` 4.1 `[D]`, 4.5 `[S]` (C5). No plist
    /// key waives it (C4). Both have another reading, by switch.
    static let keySize = Rule(
        .keySize, "Certificate key too short for ATS",
        source: "Apple, Preventing Insecure Network Connections; ats-semantics.md 4.1, 4.5", confidence: .source,
        consequence: .certificate(.keySize, mirrored: .weakKey, remedy: { keyRemedy($1) }),
        check: { handshake in
            guard let demands = handshake.demands, demands.certificateFloor, !demands.waivesKeySize else {
                return .notInForce
            }
            return weakKey(in: handshake, among: handshake.certificatesUnderATS)
        },
        examples: {
            keySizeExamples(inForce: { _ in }) + [
                RuleExample("ATS asks nothing", .notInForce) {
                    $0.demands = nil
                    $0.changeLeaf { $0.keyBits = 192 }
                },
                RuleExample("an entry without forward secrecy waives it, as documented (C4)", .notInForce) {
                    $0.demands?.waivesKeySize = true
                    $0.changeLeaf { $0.keyBits = 192 }
                },
                RuleExample("only the leaf is asked, as documented (C5)", .pass) {
                    $0.demands?.checksLeafOnly = true
                    $0.changePath(at: 1) { $0.setKey(.rsa, 1_024) }
                },
            ]
        })

    /// The same minimum as a rule of the system since iOS 13, for loads of which ATS asks nothing. What of it held on
    /// iOS 11 and 12 is not known. Source: `ats-semantics.md` section 5 `[D]`.
    static let trustKeySize = Rule(
        .trustKeySize, "Certificate key too short for the system",
        source: "Apple support 103769; ats-semantics.md 5", confidence: .documented,
        isInForce: { $0.hasRequirementsOf2019 },
        consequence: .certificate(.trust, mirrored: .weakKey, remedy: { keyRemedy($1) }),
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
        })

    private static func weakKey(
        in handshake: HandshakeCase, among certificates: ArraySlice<CertificateFacts>
    ) -> RuleAnswer {
        guard !certificates.isEmpty else { return .notApplicable }
        guard let index = certificates.firstIndex(where: { hasWeakKey($0) }) else { return .pass }
        let weak = certificates[index]
        let article = weak.keyType == .dsa ? "a" : "an"
        let key = "\(article) \(weak.keyType.rawValue.uppercased()) key of \(weak.keyBits) bits"
        return .fail(
            expected: "RSA keys of \(leastRSABits) bits or EC keys of \(leastECBits) bits, or more",
            observed: "\(handshake.title(of: index, weak)) has \(key)")
    }

    /// Apple states minimums for RSA and EC and takes nothing else, so DSA is weak; of the Edwards curves and of kinds
    /// that the engine can not name nothing is known, so they are not called weak (inferred).
    private static func hasWeakKey(_ certificate: CertificateFacts) -> Bool {
        switch certificate.keyType {
        case .rsa: certificate.keyBits < leastRSABits
        case .ec: certificate.keyBits < leastECBits
        case .dsa: true
        case .ed25519, .ed448, .other: false
        }
    }

    private static func keyRemedy(_ finding: Finding) -> String {
        "Reissue with an RSA key of 2048 bits, an EC key of 256 bits, or more; \(finding.observed)."
    }

    private static let leastRSABits = 2_048
    private static let leastECBits = 256

    private static func keySizeExamples(inForce: @escaping (inout HandshakeCase) -> Void) -> [RuleExample] {
        func leaf(
            _ title: String, _ type: CertificateFacts.KeyType, _ bits: Int, _ expected: RuleOutcome
        ) -> RuleExample {
            RuleExample(title, expected) {
                inForce(&$0)
                $0.changeLeaf { $0.setKey(type, bits) }
            }
        }
        return [
            leaf("RSA of 2047 bits", .rsa, 2_047, .fail), leaf("RSA of 2048 bits", .rsa, 2_048, .pass),
            leaf("RSA of 4096 bits", .rsa, 4_096, .pass), leaf("EC of 224 bits", .ec, 224, .fail),
            leaf("EC of 256 bits", .ec, 256, .pass), leaf("EC of 384 bits", .ec, 384, .pass),
            leaf("Ed25519", .ed25519, 253, .pass),
            RuleExample("an intermediate of 1024 bits", .fail) {
                inForce(&$0)
                $0.changePath(at: 1) { $0.setKey(.rsa, 1_024) }
            },
            RuleExample("an anchor of 1024 bits", .pass) {
                inForce(&$0)
                $0.changePath(at: 2) { $0.setKey(.rsa, 1_024) }
            },
            RuleExample("the leaf itself is the anchor", .notApplicable) {
                inForce(&$0)
                $0.serveSelfSigned()
                $0.facts.anchor = .user
            },
        ]
    }
}

extension RuleID {
    public static let signatureHash = RuleID("ats.signature-hash", .ats)
    public static let trustSignatureHash = RuleID("trust.signature-hash", .trust)
}

extension Rule {
    /// Every signature below the anchor; a certificate's signature on itself proves nothing and is not asked. Source:
    /// `ats-semantics.md` 4.1 `[D]`, 4.5 `[S]` (C5). No plist key waives it.
    static let signatureHash = Rule(
        .signatureHash, "Certificate signed with a hash too weak for ATS",
        source: "Apple, Preventing Insecure Network Connections; ats-semantics.md 4.1, 4.5", confidence: .source,
        consequence: .certificate(
            { blamesLeaf($0) ? .leafHash : .chainHash }, mirrored: .weakHash, remedy: { hashRemedy($1) }),
        check: { handshake in
            guard let demands = handshake.demands, demands.certificateFloor else { return .notInForce }
            return weakHash(
                in: handshake, among: handshake.certificatesUnderATS, leastBits: leastATSHashBits,
                expected: "signatures with SHA-256 or stronger")
        },
        examples: {
            hashExamples(inForce: { _ in }) + [
                RuleExample("SHA-224", .fail) { $0.changeLeaf { $0.setHash("SHA224", 224) } },
                RuleExample("only the leaf is asked, as documented (C5)", .pass) {
                    $0.demands?.checksLeafOnly = true
                    $0.changePath(at: 1) { $0.setHash("sha1", 160) }
                },
                RuleExample("ATS asks nothing", .notInForce) {
                    $0.demands = nil
                    $0.changeLeaf { $0.setHash("sha1", 160) }
                },
            ]
        })

    /// The system's own rule since iOS 13, and since iOS 11 for roots of the system: SHA-1 and older are refused,
    /// SHA-224 is not. Source: `ats-semantics.md` section 5 `[D]`, 4.5 `[S]`.
    static let trustSignatureHash = Rule(
        .trustSignatureHash, "Certificate signed with a hash too weak for the system",
        source: "Apple support 103769; ats-semantics.md 5", confidence: .documented,
        isInForce: { $0.hasRules(of: OSVersion(11)) },
        consequence: .certificate(.trust, mirrored: .weakHash, remedy: { hashRemedy($1) }),
        check: { handshake in
            guard let left = handshake.certificatesUnderSystem() else { return .notInForce }
            guard handshake.facts.anchor == .system || handshake.profile.hasRequirementsOf2019 else {
                return .notInForce
            }
            return weakHash(
                in: handshake, among: left, leastBits: leastSystemHashBits, expected: "signatures of the SHA-2 family")
        },
        examples: {
            hashExamples(inForce: { $0.demands = nil }) + [
                RuleExample("SHA-224", .pass) {
                    $0.demands = nil
                    $0.changeLeaf { $0.setHash("SHA224", 224) }
                },
                RuleExample("ATS asks for more", .notInForce) { $0.changeLeaf { $0.setHash("sha1", 160) } },
                RuleExample("ATS asks the leaf alone (C5), the system the rest", .fail) {
                    $0.demands?.checksLeafOnly = true
                    $0.changePath(at: 1) { $0.setHash("sha1", 160) }
                },
            ]
        })

    private static func weakHash(
        in handshake: HandshakeCase, among certificates: ArraySlice<CertificateFacts>, leastBits: Int, expected: String
    ) -> RuleAnswer {
        let path = handshake.facts.path
        let isWeak = { (index: Int, certificate: CertificateFacts) -> Bool in
            let signsItself = certificate.isSelfIssued && index >= path.count - 1
            return !signsItself && certificate.signatureHashBits.map { $0 < leastBits } ?? false
        }
        guard certificates.contains(where: { $0.signatureHashBits != nil }) else { return .notApplicable }
        guard let index = certificates.indices.first(where: { isWeak($0, certificates[$0]) }) else { return .pass }
        let weak = certificates[index]
        return .fail(
            expected: expected,
            observed: "\(handshake.title(of: index, weak)) is signed with \(weak.signature.singleLine)")
    }

    private static func hashRemedy(_ finding: Finding) -> String {
        "Reissue with a SHA-256 signature; \(finding.observed)."
    }

    /// Whether the weak signature is the leaf's own; Apple has a number for each (6.2).
    private static func blamesLeaf(_ facts: HandshakeFacts?) -> Bool {
        guard let leaf = facts?.path.first ?? facts?.served.first else { return true }
        return leaf.signatureHashBits.map { $0 < leastATSHashBits } ?? false
    }

    /// SHA-256.
    private static let leastATSHashBits = 256
    /// SHA-224, the shortest of SHA-2.
    private static let leastSystemHashBits = 224

    private static func hashExamples(inForce: @escaping (inout HandshakeCase) -> Void) -> [RuleExample] {
        func example(
            _ title: String, _ expected: RuleOutcome, _ change: @escaping (inout HandshakeCase) -> Void
        ) -> RuleExample {
            RuleExample(title, expected) {
                inForce(&$0)
                change(&$0)
            }
        }
        return [
            example("SHA-1 on the leaf", .fail) { $0.changeLeaf { $0.setHash("sha1", 160) } },
            example("MD5 on the leaf", .fail) { $0.changeLeaf { $0.setHash("md5", 128) } },
            example("SHA-1 on an intermediate", .fail) { $0.changePath(at: 1) { $0.setHash("sha1", 160) } },
            example("SHA-1 on the anchor", .pass) { $0.changePath(at: 2) { $0.setHash("sha1", 160) } },
            example("SHA-256", .pass) { $0.changeLeaf { $0.setHash("sha256", 256) } },
            example("SHA-384", .pass) { $0.changeLeaf { $0.setHash("sha384", 384) } },
            example("SHA-1 with which the leaf signed itself", .pass) {
                $0.serveSelfSigned()
                $0.changeLeaf { $0.setHash("sha1", 160) }
            },
            example("SHA-1 on a leaf whose issuer is missing", .fail) {
                $0.serveWithoutIntermediate()
                $0.changeLeaf { $0.setHash("sha1", 160) }
            },
            example("schemes without a hash of their own", .notApplicable) {
                for index in 0...1 {
                    $0.changePath(at: index) {
                        $0.signature = "ED25519"
                        $0.signatureHashBits = nil
                    }
                }
            },
        ]
    }
}

/// Shared by both rules on certificate keys: ATS's own and the system's.
extension Rule {
    /// Returns a failing answer for the first key that is too short.
    ///
    /// - Parameter onlyRSA: true if no minimum for other types is in force.
    static func weakKey(
        in handshake: HandshakeCase, among certificates: ArraySlice<CertificateFacts>, onlyRSA: Bool = false
    ) -> RuleAnswer {
        guard !certificates.isEmpty else { return .notApplicable }
        let isWeak = { (certificate: CertificateFacts) in
            hasWeakKey(certificate) && !(onlyRSA && certificate.keyType != .rsa)
        }
        guard let index = certificates.firstIndex(where: isWeak) else { return .pass }
        let weak = certificates[index]
        let article = weak.keyType == .dsa ? "a" : "an"
        let key = "\(article) \(weak.keyType.rawValue.uppercased()) key of \(weak.keyBits) bits"
        return .fail(
            expected: "RSA keys of at least \(leastRSABits) bits, or EC keys of at least \(leastECBits) bits",
            observed: "\(handshake.title(of: index, weak)) has \(key)")
    }

    /// Apple states minimums for RSA and EC and accepts no other type, so DSA is weak. Nothing is known about Edwards
    /// curves and types that the engine cannot name, so they are not called weak (inferred).
    private static func hasWeakKey(_ certificate: CertificateFacts) -> Bool {
        switch certificate.keyType {
        case .rsa: certificate.keyBits < leastRSABits
        case .ec: certificate.keyBits < leastECBits
        case .dsa: true
        case .ed25519, .ed448, .other: false
        }
    }

    static let keyRemedy =
        "Reissue the certificate with an RSA key of at least 2048 bits or an EC key of at least 256 bits."

    static let leastRSABits = 2_048
    static let leastECBits = 256

    /// The examples that both rules on keys share.
    static func keySizeExamples(inForce: @escaping (inout HandshakeCase) -> Void) -> [RuleExample] {
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

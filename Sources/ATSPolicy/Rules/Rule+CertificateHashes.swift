/// Shared by both rules on signature hashes: ATS's own and the system's.
extension Rule {
    /// Returns a failing answer for the first signature with a hash below `leastBits`.
    static func weakHash(
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

    static let hashRemedy = "Reissue the certificate with a SHA-256 signature."

    /// SHA-256.
    static let leastATSHashBits = 256
    /// SHA-224, the shortest of SHA-2.
    static let leastSystemHashBits = 224

    /// The examples that both rules on hashes share.
    static func hashExamples(inForce: @escaping (inout HandshakeCase) -> Void) -> [RuleExample] {
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
            example("SHA-1 in the leaf's own self-signature", .pass) {
                $0.serveSelfSigned()
                $0.changeLeaf { $0.setHash("sha1", 160) }
            },
            example("SHA-1 on a leaf whose issuer is missing", .fail) {
                $0.serveWithoutIntermediate()
                $0.changeLeaf { $0.setHash("sha1", 160) }
            },
            example("signature schemes without a separate hash", .notApplicable) {
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

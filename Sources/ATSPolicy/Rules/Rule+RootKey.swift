extension RuleID {
    public static let rootKey = RuleID("trust.root-key", .trust)
}

extension Rule {
    /// The keys that no other rule covers: the root's, and on 10 to 12 keys that the system calls weak.
    ///
    /// From iOS 13 on, the policy for TLS servers checks every certificate of the path against RSA 2048 and EC 256, also
    /// the root. From iOS 10 on, RSA below 1024, EC below 160 bits and other types are weak in every certificate. A leaf
    /// that the user trusts is exempt. Source: Security, SecPolicyServer.c, SecPolicyCheckKeySize; SecCertificate.c,
    /// SecCertificateIsWeakKey; docs/law/trust.md#key-size.
    static let rootKey = Rule(
        .rootKey, "Root's key too short for the system",
        source: "Security, SecPolicyServer.c; docs/law/trust.md#key-size", confidence: .source,
        consequence: .certificate(
            .trust, remedy: { _, _ in "Serve a chain to a root with an RSA key of 2048 bits or an EC key of 256." }),
        check: { handshake in
            let path = handshake.wholePath
            guard path.count > 1, let root = path.indices.last, !handshake.isLeafAnchored else { return .notApplicable }
            let isStrong = handshake.profile.hasRequirementsOf2019
            let (rsa, ec) = isStrong ? (leastRSABits, leastECBits) : (1_024, 160)
            let places = isStrong ? [root] : Array(handshake.certificatesUnderSystem()?.indices ?? 0..<0) + [root]
            guard let place = places.first(where: { path[$0].isBelow(rsa: rsa, ec: ec) }) else { return .pass }
            let weak = path[place]
            let type = weak.keyType.rawValue.uppercased()
            return .fail(
                expected: "RSA keys of at least \(rsa) bits, or EC keys of at least \(ec) bits",
                observed: "\(handshake.title(of: place, weak)) has \(type == "DSA" ? "a" : "an") \(type) key of "
                    + "\(weak.keyBits) bits")
        },
        examples: {
            func root(
                _ title: String, _ expected: RuleOutcome, _ type: CertificateFacts.KeyType, _ bits: Int,
                on system: String
            ) -> RuleExample {
                RuleExample(title, expected) {
                    $0.profile = OSProfile.named(system) ?? .iOS26
                    $0.changePath(at: 2) { $0.setKey(type, bits) }
                }
            }
            return [
                root("a root of 2047 bits, on iOS 13", .fail, .rsa, 2_047, on: "ios13"),
                root("a root of 2048 bits, on iOS 13", .pass, .rsa, 2_048, on: "ios13"),
                root("a P-192 root on iOS 13", .fail, .ec, 192, on: "ios13"),
                root("a P-192 root on iOS 12.2", .pass, .ec, 192, on: "ios12.2"),
                root("a root of 1024 bits on iOS 12.2", .pass, .rsa, 1_024, on: "ios12.2"),
                root("a root of 1023 bits on iOS 12.2", .fail, .rsa, 1_023, on: "ios12.2"),
                root("a DSA root on iOS 12.2", .fail, .dsa, 2_048, on: "ios12.2"),
                root("a DSA root on iOS 9", .notInForce, .dsa, 2_048, on: "ios9"),
                RuleExample("a DSA intermediate on iOS 12.2 with ATS off", .fail) {
                    $0.profile = OSProfile.named("ios12.2") ?? .iOS26
                    $0.demands = nil
                    $0.changePath(at: 1) { $0.setKey(.dsa, 2_048) }
                },
                RuleExample("the leaf itself is the anchor", .notApplicable) {
                    $0.serveSelfSigned()
                    $0.facts.anchor = .user
                },
            ]
        }
    )
    .inForce { $0.hasRules(of: OSVersion(10)) }
}

extension RuleID {
    public static let selfSigned = RuleID("trust.self-signed", .trust)
}

extension Rule {
    /// The leaf is not its own issuer, unless it was installed as trusted. Source: Apple, Preventing Insecure Network
    /// Connections; Security, SecPolicyChecks.list; docs/law/trust.md#trusted-chain,
    /// docs/law/trust.md#words-of-a-trust-evaluation (AnchorTrusted).
    static let selfSigned = Rule(
        .selfSigned, "Self-signed certificate",
        source: "Apple, Preventing Insecure Network Connections; docs/law/trust.md#trusted-chain",
        confidence: .documented,
        consequence: .certificate(
            .trust, strict: .observed, mirrored: .selfSigned, isAboutAnchor: true, logged: "leaf AnchorTrusted",
            // A leaf that is served alone: GitHub, Alamofire/Alamofire issue 819 (iOS 9), dduan/Just issue 64 (iOS 10);
            // docs/law/errors.md#by-failure.
            lax: { _ in StreamStatus(-9813, "errSSLNoRootCert", .observed) },
            remedy: { _, _ in "Serve a certificate from a CA that the device trusts." }),
        check: { handshake in
            guard handshake.facts.anchor == .selfSignedLeaf else { return .pass }
            let name = handshake.leaf?.quotedName ?? "the leaf"
            return .fail(expected: "a certificate issued by a trusted CA", observed: "\(name) is self-signed")
        },
        examples: {
            [
                RuleExample("a self-signed leaf", .fail) { $0.serveSelfSigned() },
                RuleExample("the same leaf, installed as trusted", .pass) {
                    $0.serveSelfSigned()
                    $0.facts.anchor = .user
                },
                RuleExample("a public chain", .pass),
            ]
        })
}

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
            // Both codes were seen at all times: -9813 on iOS 9 (GitHub, Alamofire/Alamofire issue 819), -9807 in 2021
            // (ably/ably-cocoa issue 80, SwiftFM issue 3). So the choice is inferred (C15).
            lax: { device in
                switch device.readings.selfSigned(on: device.release) {
                case .missingRoot: StreamStatus(-9813, "errSSLNoRootCert", .inferred)
                case .invalidChain: StreamStatus(-9807, "errSSLXCertChainInvalid", .inferred)
                }
            },
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

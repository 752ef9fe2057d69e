extension RuleID {
    public static let untrustedRoot = RuleID("trust.untrusted-root", .trust)
}

extension Rule {
    /// Source: Apple, Preventing Insecure Network Connections; Security, SecPolicyChecks.list;
    /// docs/law/trust.md#trusted-chain, docs/law/trust.md#words-of-a-trust-evaluation (AnchorTrusted).
    static let untrustedRoot = Rule(
        .untrustedRoot, "Certificate chain that no trusted root ends",
        source: "Apple, Preventing Insecure Network Connections; docs/law/trust.md#trusted-chain",
        confidence: .documented,
        consequence: .certificate(
            .trust, strict: .observed, mirrored: .untrustedIssuer, isAboutAnchor: true, logged: "root AnchorTrusted",
            lax: { _ in StreamStatus(-9813, "errSSLNoRootCert", .observed) },
            remedy: { _, _ in "Serve a chain to a root that the device trusts, or install its root there." }),
        check: { handshake in
            switch handshake.facts.anchor {
            case .system, .user, .selfSignedLeaf, .incomplete:
                return .pass
            case .unknownRoot:
                let root = handshake.facts.path.last?.quotedName ?? "an unknown root"
                return .fail(expected: Self.trustedRoot, observed: "the chain ends at \(root), which is not trusted")
            case .broken:
                return .fail(expected: Self.trustedRoot, observed: "the chain's signatures do not verify")
            }
        },
        examples: {
            [
                RuleExample("a root that nobody trusts", .fail) { $0.facts.anchor = .unknownRoot },
                RuleExample("a broken signature", .fail) { $0.facts.anchor = .broken },
                RuleExample("a root of the system", .pass),
                RuleExample("a root that the user installed", .pass) { $0.facts.anchor = .user },
            ]
        })

    private static let trustedRoot = "a chain to a root that the device trusts"
}

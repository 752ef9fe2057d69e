extension RuleID {
    public static let untrustedRoot = RuleID("trust.untrusted-root", .trust)
}

extension Rule {
    /// The chain ends at a trusted root. Source: Apple, Preventing Insecure Network Connections; Security,
    /// SecPolicyChecks.list; docs/law/trust.md#trusted-chain, docs/law/trust.md#words-of-a-trust-evaluation
    /// (AnchorTrusted).
    static let untrustedRoot = Rule(
        .untrustedRoot, "Certificate chain without a trusted root",
        source: "Apple, Preventing Insecure Network Connections; docs/law/trust.md#trusted-chain",
        confidence: .documented,
        consequence: .certificate(
            .trust, strict: .observed, mirrored: .untrustedIssuer, isAboutAnchor: true, logged: "root AnchorTrusted",
            // Both codes were seen for a root that the server sends (C15; docs/law/errors.md#by-failure).
            lax: { device in
                switch device.readings.untrustedRoot ?? .missingRoot {
                case .missingRoot: StreamStatus(-9813, "errSSLNoRootCert", .observed)
                case .invalidChain: StreamStatus(-9807, "errSSLXCertChainInvalid", .observed)
                }
            },
            remedy: { _, _ in "Serve a chain to a root that the device trusts, or install the root on the device." }),
        check: { handshake in
            switch handshake.facts.anchor {
            case .system, .user, .selfSignedLeaf, .incomplete:
                return .pass
            case .unknownRoot:
                let root = handshake.facts.path.last
                let name = root?.quotedName ?? "an unknown root"
                let known = root.flatMap { handshake.profile.roots.root(of: $0) }?.hint(on: handshake.profile) ?? ""
                return .fail(
                    expected: Self.trustedRoot, observed: "the chain ends at \(name), which is not trusted\(known)")
            case .broken:
                return .fail(expected: Self.trustedRoot, observed: "the chain's signatures do not verify")
            }
        },
        examples: {
            [
                RuleExample("an untrusted root", .fail) { $0.facts.anchor = .unknownRoot },
                RuleExample("a broken signature", .fail) { $0.facts.anchor = .broken },
                RuleExample("a system root", .pass),
                RuleExample("a root installed by the user", .pass) { $0.facts.anchor = .user },
            ]
        })

    private static let trustedRoot = "a chain to a root that the device trusts"
}

extension RuleID {
    public static let selfSigned = RuleID("trust.self-signed", .trust)
    public static let incompleteChain = RuleID("trust.incomplete-chain", .trust)
    public static let untrustedRoot = RuleID("trust.untrusted-root", .trust)
}

extension Rule {
    /// Source: `ats-semantics.md` 4.1 `[D]`, 5.3 `[S]` (AnchorTrusted).
    static let selfSigned = Rule(
        .selfSigned, "Self-signed certificate", source: "Apple support 103769; ats-semantics.md 4.1, 5.3",
        confidence: .documented,
        consequence: .certificate(
            .trust, strict: .observed, mirrored: .selfSigned,
            lax: { device in
                switch device.readings.selfSigned(on: device.release) {
                case .missingRoot: StreamStatus(-9813, "errSSLNoRootCert", .observed)
                case .invalidChain: StreamStatus(-9807, "errSSLXCertChainInvalid", .observed)
                }
            },
            remedy: { "Serve a certificate from a CA that the device trusts; \($1.observed)." }),
        check: { handshake in
            guard handshake.facts.anchor == .selfSignedLeaf else { return .pass }
            let name = handshake.leaf?.quotedName ?? "the leaf"
            return .fail(expected: "a certificate that a trusted CA issued", observed: "\(name) signed itself")
        },
        examples: {
            [
                RuleExample("the leaf signs itself", .fail) { $0.serveSelfSigned() },
                RuleExample("the same leaf, installed as trusted", .pass) {
                    $0.serveSelfSigned()
                    $0.facts.anchor = .user
                },
                RuleExample("a public chain", .pass),
            ]
        })

    /// Source: `ats-semantics.md` 5.3 `[S]` (MissingIntermediate).
    static let incompleteChain = Rule(
        .incompleteChain, "Incomplete certificate chain", source: "Apple, Security SecPolicy.c; ats-semantics.md 5.3",
        confidence: .source,
        consequence: .certificate(
            .trust, strict: .observed, mirrored: .untrustedIssuer,
            lax: { _ in StreamStatus(-9813, "errSSLNoRootCert", .inferred) },
            remedy: { "Serve the intermediate certificates along with the leaf; \($1.observed)." }),
        check: { handshake in
            guard handshake.facts.anchor == .incomplete else { return .pass }
            let issuer = handshake.facts.path.last.map { $0.issuerCommonName ?? $0.issuer.singleLine } ?? "an issuer"
            return .fail(
                expected: "every certificate up to a root", observed: "“\(issuer)” was neither served nor known")
        },
        examples: {
            [
                RuleExample("the intermediate is not served", .fail) { $0.serveWithoutIntermediate() },
                RuleExample("the intermediate is served", .pass),
                RuleExample("complete, though the root is unknown", .pass) { $0.facts.anchor = .unknownRoot },
            ]
        })

    /// Source: `ats-semantics.md` 4.1 `[D]`, 5.3 `[S]` (AnchorTrusted).
    static let untrustedRoot = Rule(
        .untrustedRoot, "Certificate chain that no trusted root ends",
        source: "Apple support 103769; ats-semantics.md 4.1, 5.3", confidence: .documented,
        consequence: .certificate(
            .trust, strict: .observed, mirrored: .untrustedIssuer,
            lax: { _ in StreamStatus(-9813, "errSSLNoRootCert", .observed) },
            remedy: { "Serve a chain to a root that the device trusts, or install its root there; \($1.observed)." }),
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

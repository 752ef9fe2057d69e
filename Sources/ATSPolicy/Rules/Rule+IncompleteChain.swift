extension RuleID {
    public static let incompleteChain = RuleID("trust.incomplete-chain", .trust)
}

extension Rule {
    /// The chain reaches a root. Source: Security, SecPolicyChecks.list; docs/law/trust.md#words-of-a-trust-evaluation
    /// (MissingIntermediate).
    static let incompleteChain = Rule(
        .incompleteChain, "Incomplete certificate chain",
        source: "Security, SecPolicyChecks.list; docs/law/trust.md#trusted-chain",
        confidence: .source,
        consequence: .certificate(
            .trust, strict: .observed, mirrored: .untrustedIssuer,
            // An issuer that is neither served nor known: GitHub, peterldowns/localias issue 33, and developer forums
            // 760524 (both iOS 17); docs/law/errors.md#by-failure.
            lax: { _ in StreamStatus(-9807, "errSSLXCertChainInvalid", .observed) },
            remedy: { _, _ in
                "If the issuer is your own CA: add it with --extra-ca FILE, and install it on the devices and in each "
                    + "simulator. If it is an intermediate: serve it together with the leaf."
            }),
        check: { handshake in
            guard handshake.facts.anchor == .incomplete else { return .pass }
            let issuer = handshake.facts.path.last.map { $0.issuerCommonName ?? $0.issuer.singleLine } ?? "unknown"
            let roots =
                handshake.facts.path.last?.issuerCommonName.map { handshake.profile.roots.roots(named: $0) } ?? []
            let known = roots.lazy.compactMap { $0.hint(on: handshake.profile) }.first ?? ""
            return .fail(
                expected: "every certificate up to a root",
                observed: "issued by “\(issuer)”, which the server did not send and this machine does not know\(known)")
        },
        examples: {
            [
                RuleExample("the intermediate is not served", .fail) { $0.serveWithoutIntermediate() },
                RuleExample("the intermediate is served", .pass),
                RuleExample("a complete chain to an unknown root", .pass) { $0.facts.anchor = .unknownRoot },
            ]
        })
}

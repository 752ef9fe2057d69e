extension RuleID {
    public static let certificateTransparency = RuleID("trust.certificate-transparency", .trust)
}

extension Rule {
    /// Enough signed certificate timestamps. Blocks only if they were verified with a log list; without one it counts
    /// and warns. Applies only to chains to system roots, and only while the leaf is valid. Source: Apple support
    /// 103769; Apple support 103214; docs/law/transparency.md#system-rule, docs/law/transparency.md#counting,
    /// docs/law/transparency.md#list-of-logs. Hosts that MDM exempts are not modelled.
    static let certificateTransparency = Rule(
        .certificateTransparency, "Certificate without enough transparency timestamps",
        source: "Apple support 103214; Security, CertificateTransparency.m; docs/law/transparency.md#system-rule",
        confidence: .documented,
        consequence: .certificate(.trust, remedy: { _, _ in transparencyRemedy }),
        check: { handshake in
            // If an entry requires timestamps, ats.certificate-transparency decides.
            guard handshake.demands?.requiresCertificateTransparency != true else { return .notInForce }
            guard let leaf = handshake.facts.path.first, leaf.notBefore >= CertificateDate.october2018 else {
                return .notInForce
            }
            return timestamps(in: handshake)
        },
        examples: { transparencyExamples }
    )
    .inForce { $0.demandsTransparency }
}

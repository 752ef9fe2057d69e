extension RuleID {
    public static let certificateTransparency = RuleID("trust.certificate-transparency", .trust)
}

extension Rule {
    /// Enough signed certificate timestamps. Blocks only where they were verified against a log list; without one it
    /// counts and warns. Only chains to roots of the system, and only while the leaf is valid. Source:
    /// `ats-semantics.md` section 5 `[D]`, 5.2 `[D]`/`[S]`, 12.9. That MDM can exempt hosts is not modelled.
    static let certificateTransparency = Rule(
        .certificateTransparency, "Certificate without enough transparency timestamps",
        source: "Apple support HT205280; Security CertificateTransparency.m; ats-semantics.md 5, 5.2",
        confidence: .documented, isInForce: { $0.demandsTransparency },
        consequence: .certificate(.trust, remedy: { transparencyRemedy($1) }),
        check: { handshake in
            // Where an entry asks, ats.certificate-transparency speaks.
            guard handshake.demands?.requiresCertificateTransparency != true else { return .notInForce }
            guard let leaf = handshake.facts.path.first, leaf.notBefore >= CertificateDate.october2018 else {
                return .notInForce
            }
            return timestamps(in: handshake)
        },
        examples: { transparencyExamples })
}

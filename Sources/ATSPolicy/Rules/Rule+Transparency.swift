extension RuleID {
    public static let atsCertificateTransparency = RuleID("ats.certificate-transparency", .ats)
    public static let certificateTransparency = RuleID("trust.certificate-transparency", .trust)
}

extension Rule {
    /// An entry's own demand of the iOS 10 era, with the system's way of counting. Source: `ats-semantics.md` 1.3
    /// `[D]`; that it counts so, and for roots of the system only, is inferred.
    static let atsTransparency = Rule(
        .atsCertificateTransparency, "Certificate without the transparency timestamps that an entry demands",
        source: "Apple, NSRequiresCertificateTransparency; ats-semantics.md 1.3, 5.2", confidence: .inferred,
        keyPath: { $0.keyPath(ATSKey.certificateTransparency) },
        consequence: .certificate(
            .violation,
            waiver: { _ in ExceptionFix.Setting(ATSKey.certificateTransparency, .flag(false)) },
            remedy: { transparencyRemedy($1) }),
        check: { handshake in
            guard handshake.demands?.requiresCertificateTransparency == true else { return .notInForce }
            return timestamps(in: handshake)
        },
        examples: {
            [
                RuleExample("none", .fail) {
                    $0.demands?.requiresCertificateTransparency = true
                    $0.transparency = .verified
                    $0.facts.scts = SCTCounts()
                },
                RuleExample("none, and no log list", .warn) {
                    $0.demands?.requiresCertificateTransparency = true
                    $0.facts.scts = SCTCounts()
                },
                RuleExample("enough", .pass) { $0.demands?.requiresCertificateTransparency = true },
                RuleExample("no entry asks", .notInForce) { $0.facts.scts = SCTCounts() },
            ]
        })

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

    private static func transparencyRemedy(_ finding: Finding) -> String {
        "Get a certificate from a CA that logs it publicly, and serve its timestamps; \(finding.observed)."
    }

    private static func timestamps(in handshake: HandshakeCase) -> RuleAnswer {
        guard handshake.facts.anchor == .system else { return .notInForce }
        guard let leaf = handshake.leaf, !handshake.isLeafAnchored else { return .notApplicable }
        guard leaf.notAfter >= handshake.now else { return .notInForce }
        let need = TimestampNeed(of: leaf)
        let tally = TimestampTally(handshake)
        switch tally.meets(need) {
        case .pass: return .pass
        // Policy text that the client code does not enforce (5.2 `[S]`): worth a word, never a refusal.
        case .crowded: return .warn(expected: need.words, observed: "\(tally.words), too many of one operator")
        case .fail:
            return switch handshake.transparency {
            case .counted: .warn(expected: need.words, observed: tally.words)
            case .verified: .fail(expected: need.words, observed: tally.words)
            }
        }
    }
}

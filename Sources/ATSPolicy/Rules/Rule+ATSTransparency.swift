extension RuleID {
    public static let atsCertificateTransparency = RuleID("ats.certificate-transparency", .ats)
}

extension Rule {
    /// A requirement of an entry, from the iOS 10 era; counts timestamps as the system does. Source: Apple,
    /// NSExceptionDomains; docs/law/keys.md#entry-keys. That it counts this way, and only for system roots, is
    /// inferred.
    static let atsTransparency = Rule(
        .atsCertificateTransparency, "Certificate without the transparency timestamps that an entry requires",
        source: "Apple, NSRequiresCertificateTransparency; docs/law/transparency.md#entry-key", confidence: .inferred,
        keyPath: { $0.keyPath(ATSKey.certificateTransparency) },
        consequence: .certificate(
            .violation,
            waiver: { _ in ExceptionFix.Setting(ATSKey.certificateTransparency, .flag(false)) },
            remedy: { _, _ in transparencyRemedy }),
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
                RuleExample("no entry requires timestamps", .notInForce) { $0.facts.scts = SCTCounts() },
            ]
        })
}

extension Rule {
    /// What a NIAP package asks beside its shorter list of suites, which `ats.cipher-suite` judges. How a device
    /// reports a breach is not published. Source: `ats-semantics.md` 1.7 `[D]`.
    static let niap = Rule(
        .niap, "TLS 1.2 without an extended master secret, which the NIAP package demands",
        source: "Apple, NSRequiresNIAPTLSPackageVersion; ats-semantics.md 1.7", confidence: .documented,
        keyPath: { $0.keyPath(ATSKey.exceptionNIAPVersion) },
        check: { handshake in
            guard let package = handshake.demands?.niap, package.narrowsSuites else { return .notInForce }
            guard handshake.facts.version < .tls13, let isUsed = handshake.facts.usesExtendedMasterSecret else {
                return .notApplicable
            }
            guard !isUsed else { return .pass }
            return .fail(
                expected: "the extended master secret, for \(package.rawValue)",
                observed: "TLS \(handshake.facts.version.name) without it")
        },
        examples: {
            [
                RuleExample("TLS 1.2 without it", .fail) {
                    $0.demands?.niap = .fcp21
                    $0.facts.usesExtendedMasterSecret = false
                },
                RuleExample("TLS 1.2 with it", .pass) {
                    $0.demands?.niap = .recommended
                    $0.facts.usesExtendedMasterSecret = true
                },
                RuleExample("TLS 1.3", .notApplicable) {
                    $0.demands?.niap = .fcp21
                    $0.facts.version = .tls13
                    $0.facts.suite = .exampleTLS13
                },
                RuleExample("an entry undoes the global key", .notInForce) {
                    $0.demands?.niap = NIAPPackage.none
                    $0.facts.usesExtendedMasterSecret = false
                },
                RuleExample("no package is asked for", .notInForce) { $0.facts.usesExtendedMasterSecret = false },
            ]
        })
}

extension RuleID {
    public static let cipherSuite = RuleID("ats.cipher-suite", .ats)
}

extension Rule {
    /// The cipher suites that ATS accepts. Source: Security, SecProtocolInternal.h; docs/law/tls.md#suites,
    /// docs/law/tls.md#suites-without-forward-secrecy. TLS 1.3 is always acceptable (docs/law/tls.md#suites).
    static let cipherSuite = Rule(
        .cipherSuite, "Cipher suite not accepted by ATS",
        source: "Security, SecProtocolInternal.h; docs/law/tls.md#suites", confidence: .source,
        consequence: .handshake(
            .alertReceived(handshakeFailureAlert), .cipherSuite,
            waiver: { handshake in
                let isOfPackage = handshake.demands?.niap != nil
                guard isOfPackage, handshake.profile.atsSuites.contains(handshake.facts.suite) else { return nil }
                return .noNIAPPackage
            },
            remedy: { _, _ in "Enable ECDHE cipher suites with AES-GCM, for example \(goodSuite)." }),
        check: { handshake in
            guard let demands = handshake.demands else { return .notInForce }
            let suite = handshake.facts.suite
            // An empty list was not narrowed, as in ``TLSOffer/suites``.
            if demands.suites.isEmpty || demands.suites.contains(suite) { return .pass }
            guard handshake.facts.version < .tls13 else { return .notApplicable }
            // The suite lacks only forward secrecy, which ats.forward-secrecy reports.
            if demands.forwardSecrecy, handshake.profile.staticRSASuites.contains(suite) { return .notApplicable }
            let isDHE = suite.keyExchange == .dhe
            return .fail(
                expected: "one of the \(demands.suites.count) cipher suites of ATS",
                observed: isDHE ? "\(suite.name): ATS accepts ECDHE, but not DHE" : suite.name)
        },
        examples: {
            [
                RuleExample("finite-field DHE", .fail) { $0.facts.suite = .exampleDHE },
                RuleExample("ECDHE with CBC-SHA256, not offered since 15.4", .fail) { $0.facts.suite = .exampleCBC },
                RuleExample("3DES", .fail) { $0.facts.suite = .exampleTripleDES },
                RuleExample("a suite in the list", .pass),
                RuleExample("static RSA, allowed by an entry", .pass) {
                    $0.demands?.forwardSecrecy = false
                    $0.demands?.suites = $0.profile.staticRSASuites + $0.profile.atsSuites
                    $0.facts.suite = .exampleRSA
                },
                RuleExample("static RSA that only forward secrecy forbids", .notApplicable) {
                    $0.facts.suite = .exampleRSA
                },
                RuleExample("TLS 1.3 with a suite outside the list", .notApplicable) {
                    $0.facts.version = .tls13
                    $0.facts.suite = CipherSuite(code: 0x1304, name: "TLS_AES_128_CCM_SHA256")
                },
                RuleExample("ATS does not apply", .notInForce) {
                    $0.demands = nil
                    $0.facts.suite = .exampleDHE
                },
            ]
        })
}

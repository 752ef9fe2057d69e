extension RuleID {
    public static let forwardSecrecy = RuleID("ats.forward-secrecy", .ats)
}

extension Rule {
    /// ECDHE, or any TLS 1.3 exchange. Finite-field DHE has forward secrecy, too, so it passes here; no ATS list
    /// contains it, and `ats.cipher-suite` rejects it. Source: Apple, Preventing Insecure Network Connections;
    /// Security, SecProtocolInternal.h; docs/law/tls.md#baseline, docs/law/tls.md#suites-without-forward-secrecy.
    static let forwardSecrecy = Rule(
        .forwardSecrecy, "Key exchange without forward secrecy",
        source: "Apple, Preventing Insecure Network Connections; docs/law/tls.md#suites-without-forward-secrecy",
        confidence: .documented,
        keyPath: { handshake in
            let suite = handshake.facts.suite
            return handshake.profile.staticRSASuites.contains(suite) ? handshake.keyPath(ATSKey.forwardSecrecy) : nil
        },
        consequence: .handshake(
            .alertReceived(handshakeFailureAlert), .cipherSuite,
            waiver: { handshake in
                guard handshake.profile.staticRSASuites.contains(handshake.facts.suite) else { return nil }
                return ExceptionFix.Setting(ATSKey.forwardSecrecy, .flag(false))
            },
            remedy: { _, _ in "Enable ECDHE cipher suites, for example \(goodSuite)." }),
        check: { handshake in
            guard let demands = handshake.demands, demands.forwardSecrecy else { return .notInForce }
            guard handshake.facts.version < .tls13 else { return .notApplicable }
            let suite = handshake.facts.suite
            // Every suite of the ATS group is ephemeral (docs/law/tls.md#suites), so its name need not be parsed.
            guard !handshake.profile.atsSuites.contains(suite) else { return .pass }
            switch suite.keyExchange {
            case .tls13, .ecdhe, .dhe: return .pass
            case .rsa: return .fail(expected: Self.ecdhe, observed: "\(suite.name), static RSA")
            case .other: return .fail(expected: Self.ecdhe, observed: suite.name)
            }
        },
        examples: {
            [
                RuleExample("static RSA", .fail) { $0.facts.suite = .exampleRSA },
                RuleExample("static RSA with a suite outside every list", .fail) { $0.facts.suite = .exampleTripleDES },
                RuleExample("ECDHE", .pass),
                RuleExample("DHE, which has forward secrecy", .pass) { $0.facts.suite = .exampleDHE },
                RuleExample("TLS 1.3", .notApplicable) {
                    $0.facts.version = .tls13
                    $0.facts.suite = .exampleTLS13
                },
                RuleExample("an entry turns forward secrecy off", .notInForce) {
                    $0.demands?.forwardSecrecy = false
                    $0.facts.suite = .exampleRSA
                },
                RuleExample("ATS does not apply", .notInForce) {
                    $0.demands = nil
                    $0.facts.suite = .exampleRSA
                },
            ]
        })

    private static let ecdhe = "an ECDHE key exchange or TLS 1.3"
    /// The alert of an origin that finds no common cipher suite; RFC 8446 section 6.2.
    static let handshakeFailureAlert: UInt8 = 40
    /// In the list of every release, for RSA keys (docs/law/tls.md#suites).
    static let goodSuite = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
}

extension RuleID {
    public static let osTLSFloor = RuleID("ats.os-tls-floor", .ats)
}

extension Rule {
    /// Versions that the system refuses whatever a declaration says. Source: Apple, macOS 26 release notes;
    /// docs/law/tls.md#system-floor.
    static let osTLSFloor = Rule(
        .osTLSFloor, "TLS version that this OS no longer speaks",
        source: "Apple, macOS 26 release notes; docs/law/tls.md#system-floor", confidence: .observed,
        keyPath: { handshake in
            // Only an entry that is void on this system is worth pointing at; without one no key is involved.
            handshake.demands == nil ? nil : handshake.keyPath(ATSKey.minimumTLS)
        },
        consequence: .handshake(
            .versionNotOffered, .minimumVersion, remedy: { handshake, _ in versionRemedy(handshake) }),
        check: { handshake in
            guard handshake.basis.step != .outside else { return .notInForce }
            let floor = handshake.profile.tlsFloor
            // Where ATS asks for at least the floor, ats.tls-version speaks.
            if let demands = handshake.demands, demands.overruledMinimum ?? demands.minimumTLS >= floor {
                return .notApplicable
            }
            guard handshake.facts.version < floor else { return .pass }
            return .fail(
                expected: "TLS \(floor.name) or newer: \(handshake.profile.title) speaks nothing older",
                observed: "TLS \(handshake.facts.version.name)")
        },
        examples: {
            [
                RuleExample("TLS 1.1 with ATS off on iOS 26", .fail) {
                    $0.demands = nil
                    $0.facts.version = .tls11
                },
                RuleExample("an entry allows TLS 1.0 on iOS 26", .fail) {
                    $0.demands?.overruledMinimum = .tls10
                    $0.facts.version = .tls10
                },
                RuleExample("TLS 1.2 with ATS off on iOS 26", .pass) { $0.demands = nil },
                RuleExample("TLS 1.3 with ATS off on iOS 26", .pass) {
                    $0.demands = nil
                    $0.facts.version = .tls13
                },
                RuleExample("ATS itself demands 1.2", .notApplicable) { $0.facts.version = .tls10 },
                RuleExample("TLS 1.0 with ATS off on iOS 18.4", .notInForce) {
                    $0.profile = .iOS18_4
                    $0.demands = nil
                    $0.facts.version = .tls10
                },
                RuleExample("TLS 1.0 to a client that brings its own TLS", .notInForce) {
                    $0.basis.step = .outside
                    $0.demands = nil
                    $0.facts.version = .tls10
                },
            ]
        }
    )
    .inForce { $0.tlsFloor > .tls10 }
}

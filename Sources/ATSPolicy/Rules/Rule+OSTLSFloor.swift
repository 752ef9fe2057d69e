extension RuleID {
    public static let osTLSFloor = RuleID("ats.os-tls-floor", .ats)
}

extension Rule {
    /// Versions below the default minimum of an app linked with the SDK of 26 or later, which no dictionary lowers. The
    /// app's code can. Source: Apple, iOS 26 release notes, 135996267; docs/law/tls.md#system-floor.
    static let osTLSFloor = Rule(
        .osTLSFloor, "TLS version below the system's minimum",
        source: "Apple, iOS 26 release notes, 135996267; docs/law/tls.md#system-floor", confidence: .documented,
        keyPath: { handshake in
            // Names the key only if an entry has no effect on this release; otherwise no key is involved.
            handshake.demands == nil ? nil : handshake.keyPath(ATSKey.minimumTLS)
        },
        consequence: .handshake(
            .versionNotOffered, .minimumVersion, remedy: { handshake, _ in versionRemedy(handshake) }),
        check: { handshake in
            guard handshake.basis.step != .outside else { return .notInForce }
            let floor = handshake.profile.tlsFloor
            // If ATS requires at least the OS minimum, ats.tls-version decides.
            if let demands = handshake.demands, demands.overruledMinimum ?? demands.minimumTLS >= floor {
                return .notApplicable
            }
            guard handshake.facts.version < floor else { return .pass }
            return .fail(
                expected: "TLS \(floor.name) or newer, the minimum on \(handshake.profile.title) for apps linked with "
                    + "the SDK of 26 or later",
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
                RuleExample("ATS itself requires 1.2", .notApplicable) { $0.facts.version = .tls10 },
                RuleExample("TLS 1.0 with ATS off on iOS 26, linked with an older SDK", .notInForce) {
                    $0.profile.tlsFloor = .tls10
                    $0.demands = nil
                    $0.facts.version = .tls10
                },
                RuleExample("TLS 1.0 with ATS off on iOS 18.4", .notInForce) {
                    $0.profile = .iOS18_4
                    $0.demands = nil
                    $0.facts.version = .tls10
                },
                RuleExample("TLS 1.0 with a client that has its own TLS", .notInForce) {
                    $0.basis.step = .outside
                    $0.demands = nil
                    $0.facts.version = .tls10
                },
            ]
        }
    )
    .inForce { $0.tlsFloor > .tls10 }
}

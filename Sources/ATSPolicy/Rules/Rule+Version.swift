extension RuleID {
    public static let tlsVersion = RuleID("ats.tls-version", .ats)
    public static let osTLSFloor = RuleID("ats.os-tls-floor", .ats)
}

extension Rule {
    /// The version that ATS, or an exception entry, asks for. Source: `ats-semantics.md` 2.3 `[S]`, 4.1 `[D]`.
    static let tlsVersion = Rule(
        .tlsVersion, "TLS version below what ATS demands",
        source: "Apple, Preventing Insecure Network Connections; ats-semantics.md 2.3, 4.1", confidence: .documented,
        keyPath: { handshake in
            guard let demands = handshake.demands else { return nil }
            // A key that raised the minimum decided; the default can be lowered, but not under the OS floor.
            let wasRaised = handshake.basis.entry != nil && demands.minimumTLS > .tls12
            guard wasRaised || handshake.facts.version >= handshake.profile.tlsFloor else { return nil }
            return handshake.keyPath(ATSKey.minimumTLS)
        },
        consequence: .handshake(
            .versionNotOffered, .minimumVersion,
            waiver: { handshake in
                guard handshake.facts.version >= handshake.profile.tlsFloor else { return nil }
                return ExceptionFix.Setting(ATSKey.minimumTLS, .text(handshake.facts.version.declarationName))
            },
            remedy: { handshake, _ in versionRemedy(handshake) }),
        check: { handshake in
            guard let demands = handshake.demands else { return .notInForce }
            let minimum = demands.overruledMinimum ?? demands.minimumTLS
            guard handshake.facts.version < minimum else { return .pass }
            return .fail(
                expected: "TLS \(minimum.name) or newer", observed: "TLS \(handshake.facts.version.name)")
        },
        examples: {
            [
                RuleExample("TLS 1.1 where 1.2 is demanded", .fail) { $0.facts.version = .tls11 },
                RuleExample("TLS 1.2 where 1.2 is demanded", .pass) { $0.facts.version = .tls12 },
                RuleExample("TLS 1.3 where 1.2 is demanded", .pass) { $0.facts.version = .tls13 },
                RuleExample("TLS 1.2 where an entry demands 1.3", .fail) { $0.demands?.minimumTLS = .tls13 },
                RuleExample("an entry asked for the 1.0 that was seen, and only the OS forbids it", .pass) {
                    $0.facts.version = .tls10
                    $0.demands?.overruledMinimum = .tls10
                },
                RuleExample("ATS asks nothing", .notInForce) {
                    $0.facts.version = .tls10
                    $0.demands = nil
                },
            ]
        })

    private static func versionRemedy(_ handshake: HandshakeCase) -> String {
        let minimum = max(handshake.demands?.minimumTLS ?? .tls10, handshake.profile.tlsFloor)
        return "Enable TLS \(minimum.name) or newer; the origin answered with TLS \(handshake.facts.version.name)."
    }

    /// Versions that the system refuses whatever a declaration says. Source: `ats-semantics.md` 4.6 `[O]`/`[D]`.
    static let osTLSFloor = Rule(
        .osTLSFloor, "TLS version that this OS no longer speaks",
        source: "macOS 26 release notes, Security; ats-semantics.md 4.6", confidence: .observed,
        isInForce: { $0.tlsFloor > .tls10 },
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
        })
}

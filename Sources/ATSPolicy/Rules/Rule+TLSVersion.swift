extension RuleID {
    public static let tlsVersion = RuleID("ats.tls-version", .ats)
}

extension Rule {
    /// The version that ATS, or an exception entry, requires. Source: Security, SecProtocolConfiguration.m; Apple,
    /// Preventing Insecure Network Connections; docs/law/rulings.md#demands, docs/law/tls.md#baseline.
    static let tlsVersion = Rule(
        .tlsVersion, "TLS version below the ATS minimum",
        source: "Apple, Preventing Insecure Network Connections; docs/law/tls.md#baseline", confidence: .documented,
        keyPath: { handshake in
            guard let demands = handshake.demands else { return nil }
            // Name a key that raised the minimum. The default minimum can be lowered, but not below the OS minimum.
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
                expected: "TLS \(minimum.name) or newer"
                    + (handshake.requiresUnknownVersion ? ", which \(handshake.profile.title) does not support" : ""),
                observed: "TLS \(handshake.facts.version.name)")
        },
        examples: {
            [
                RuleExample("TLS 1.1, minimum 1.2", .fail) { $0.facts.version = .tls11 },
                RuleExample("TLS 1.2, minimum 1.2", .pass) { $0.facts.version = .tls12 },
                RuleExample("TLS 1.3, minimum 1.2", .pass) { $0.facts.version = .tls13 },
                RuleExample("TLS 1.2, minimum 1.3 by an entry", .fail) { $0.demands?.minimumTLS = .tls13 },
                RuleExample("TLS 1.2, minimum 1.3 by an entry, on a release without 1.3", .fail) {
                    $0.profile = .iOS11
                    $0.demands?.minimumTLS = .tls13
                },
                RuleExample("TLS 1.0, allowed by an entry and forbidden only by the OS", .pass) {
                    $0.facts.version = .tls10
                    $0.demands?.overruledMinimum = .tls10
                },
                RuleExample("ATS does not apply", .notInForce) {
                    $0.facts.version = .tls10
                    $0.demands = nil
                },
            ]
        })

    /// The fix of both rules on versions.
    static func versionRemedy(_ handshake: HandshakeCase) -> String {
        guard !handshake.requiresUnknownVersion else {
            return "No change of the server helps: \(handshake.profile.title) offers at most TLS "
                + "\(handshake.profile.newestTLS.name), so an entry with \(TLSVersion.tls13.declarationName) makes every load "
                + "fail."
        }
        let minimum = max(handshake.demands?.minimumTLS ?? .tls10, handshake.profile.tlsFloor)
        return "Enable TLS \(minimum.name) or newer."
    }
}

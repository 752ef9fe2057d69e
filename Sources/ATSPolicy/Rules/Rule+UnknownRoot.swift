extension RuleID {
    public static let unknownRoot = RuleID("trust.unknown-root", .trust)
}

extension Rule {
    /// The root is in the trust store of the emulated release. A root that Apple never published is left to the gate's
    /// own store.
    ///
    /// From iOS 18 and macOS 15 on, a store can arrive over the air, so a missing root only warns there, unless
    /// ``OSProfile/isStrictAboutRoots``. Source: apple-oss-distributions/security_certificates; Apple support 103272;
    /// Security 61439, OTATrustUtilities.m; docs/law/trust.md#roots-by-release.
    static let unknownRoot = Rule(
        .unknownRoot, "Root that this release does not have",
        source: "Apple support 103272; Apple, security_certificates; docs/law/trust.md#roots-by-release",
        confidence: .source,
        consequence: .certificate(
            .trust, mirrored: .untrustedIssuer, isAboutAnchor: true,
            remedy: { handshake, _ in remedy(for: handshake) }),
        check: { handshake in
            guard handshake.facts.anchor == .system, let root = handshake.facts.path.last else { return .pass }
            let profile = handshake.profile
            guard let known = profile.roots.root(of: root) else { return .pass }
            let membership = known.membership(on: profile.release)
            guard membership != .present else { return .pass }
            let expected = "a root in the store of \(profile.title)"
            let observed =
                "the chain ends at \(root.quotedName), in Apple's store \(known.words) "
                + "(\(known.confidence(on: profile.release).rawValue))"
            let isCertain =
                membership != .unknown && (!profile.release.getsRootsOverTheAir || profile.isStrictAboutRoots)
            return isCertain
                ? .fail(expected: expected, observed: observed)
                : .warn(
                    expected: expected,
                    observed: observed
                        + (profile.release.getsRootsOverTheAir
                            ? "; a store that arrived over the air may have it (--strict-roots blocks)" : ""))
        },
        examples: { unknownRootExamples }
    ).reportingWarnings()

    /// Names an older root that signed the same key, if the release has it.
    private static func remedy(for handshake: HandshakeCase) -> String {
        let profile = handshake.profile
        let older = handshake.facts.path.last?.commonName.flatMap { CrossSigner.older(than: $0) }.flatMap { name in
            profile.roots.roots(named: name).first { $0.membership(on: profile.release) == .present }
        }
        guard let older else {
            return "Serve the chain to an older root of the same CA that \(profile.title) has, if the CA offers a "
                + "cross-signed certificate."
        }
        return "Serve the cross-signed chain to “\(older.name)”, which \(profile.title) has "
            + "(\(older.words(on: profile.release.platform)))."
    }
}

/// Older roots that cross-signed newer ones, by their common names. Source: letsencrypt.org, Chains of Trust;
/// pki.goog, Repository; amazontrust.com, Repository; Sectigo, Public Root CAs Migration; ssl.com, Roots Page.
private enum CrossSigner {
    static func older(than name: String) -> String? { names[name] }

    private static let names = [
        "ISRG Root X2": "ISRG Root X1", "Root YE": "ISRG Root X2", "Root YR": "ISRG Root X1",
        "GTS Root R1": "GlobalSign Root CA", "GTS Root R2": "GlobalSign Root CA", "GTS Root R3": "GlobalSign Root CA",
        "GTS Root R4": "GlobalSign Root CA",
        "Amazon Root CA 1": "Starfield Services Root Certificate Authority - G2",
        "Amazon Root CA 2": "Starfield Services Root Certificate Authority - G2",
        "Amazon Root CA 3": "Starfield Services Root Certificate Authority - G2",
        "Amazon Root CA 4": "Starfield Services Root Certificate Authority - G2",
        "Sectigo Public Server Authentication Root R46": "USERTrust RSA Certification Authority",
        "Sectigo Public Server Authentication Root E46": "USERTrust ECC Certification Authority",
        "USERTrust RSA Certification Authority": "AAA Certificate Services",
        "USERTrust ECC Certification Authority": "AAA Certificate Services",
        "SSL.com TLS RSA Root CA 2022": "SSL.com Root Certification Authority RSA",
        "SSL.com TLS ECC Root CA 2022": "SSL.com Root Certification Authority ECC",
    ]
}

extension Rule {
    private static let unknownRootExamples: [RuleExample] = {
        func example(
            _ title: String, _ expected: RuleOutcome, _ row: String, on system: OSProfile?,
            _ change: @escaping (inout HandshakeCase) -> Void = { _ in }
        ) -> RuleExample {
            RuleExample(title, expected) {
                let root = AppleRoot(row: "- \(row)", key: "Example Root")
                $0.profile = AppleRoots([root].compactMap(\.self)).replacing(in: system ?? .iOS17)
                change(&$0)
            }
        }
        let (ios14, ios16, mac14) = (OSProfile.named("ios14"), OSProfile.named("ios16"), OSProfile.named("macos14"))
        return [
            example("a root since iOS 17.4, on iOS 16", .fail, "17.4: 14.4: DD 00 Example Root", on: ios16),
            example("the same root on iOS 17.4", .pass, "17.4: 14.4: DD 00 Example Root", on: .named("ios17.4")),
            example("the same root on macOS 14", .fail, "17.4: 14.4: DD 00 Example Root", on: mac14),
            example("the same root on macOS 14.4", .pass, "17.4: 14.4: DD 00 Example Root", on: .named("macos14.4")),
            example("a root removed in iOS 15.4, on iOS 16", .fail, ":15.3<15.4 : II 00 Example Root", on: ios16),
            example("the same root on iOS 15.3.1", .pass, ":15.3<15.4 : II 00 Example Root", on: .named("ios15.3.1")),
            example("a release that may have it", .warn, ":13.6~14.2 : II 00 Example Root", on: ios14),
            example("a root since iOS 26, on iOS 18", .warn, "26: 26: DD 00 Example Root", on: .named("ios18")),
            example("the same, with strict roots", .fail, "26: 26: DD 00 Example Root", on: .named("ios18")) {
                $0.profile.isStrictAboutRoots = true
            },
            example("a root that no store ever had", .fail, "- - DD 00 Example Root", on: ios16),
            example("another name with the same key", .pass, "17.4: 14.4: DD 00 Other Root", on: ios16),
            example("a root that the user installed", .pass, "17.4: 14.4: DD 00 Example Root", on: ios16) {
                $0.facts.anchor = .user
            },
            RuleExample("a root that Apple never published", .pass),
        ]
    }()
}

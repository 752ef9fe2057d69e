extension Rule {
    /// An entry's own demand of the iOS 10 era, with the system's way of counting. Source: `ats-semantics.md` 1.3
    /// `[D]`; that it counts so, and for roots of the system only, is inferred.
    static let atsTransparency = Rule(
        .atsCertificateTransparency, "Certificate without the transparency timestamps that an entry demands",
        source: "Apple, NSRequiresCertificateTransparency; ats-semantics.md 1.3, 5.2", confidence: .inferred,
        keyPath: { $0.keyPath(ATSKey.certificateTransparency) },
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
        check: { handshake in
            // Where an entry asks, ats.certificate-transparency speaks.
            guard handshake.demands?.requiresCertificateTransparency != true else { return .notInForce }
            guard let leaf = handshake.facts.path.first, leaf.notBefore >= CertificateDate.october2018 else {
                return .notInForce
            }
            return timestamps(in: handshake)
        },
        examples: { transparencyExamples })

    private static func timestamps(in handshake: HandshakeCase) -> RuleAnswer {
        guard handshake.facts.anchor == .system else { return .notInForce }
        guard let leaf = handshake.leaf, !handshake.isLeafAnchored else { return .notApplicable }
        guard leaf.notAfter >= handshake.now else { return .notInForce }
        let seen = handshake.facts.scts
        let needed = embeddedTimestamps(for: leaf)
        // A log list that knows the rest would count once-approved logs apart; here all that count are one kind.
        let delivered = seen.handshake + seen.stapled
        guard seen.embedded < needed, delivered == 0 || seen.embedded + delivered < 2 else { return .pass }
        let expected = "\(needed) timestamps in the certificate, or 2 with one from the handshake"
        let observed =
            "\(seen.embedded) in the certificate, \(seen.handshake) in the handshake, \(seen.stapled) in the "
            + "stapled OCSP response"
        return switch handshake.transparency {
        case .counted: .warn(expected: expected, observed: observed)
        case .verified: .fail(expected: expected, observed: observed)
        }
    }

    /// How many embedded timestamps a leaf needs, by its begin and its lifetime. Source: `ats-semantics.md` 5.2.
    private static func embeddedTimestamps(for leaf: CertificateFacts) -> Int {
        guard leaf.notBefore >= CertificateDate.april2021 else {
            let (months, rest) = CalendarDay.months(from: leaf.notBefore, to: leaf.notAfter)
            if months < 15 { return 2 }
            if months < 27 || months == 27 && !rest { return 3 }
            return months < 39 || months == 39 && !rest ? 4 : 5
        }
        let (lifetime, overflow) = leaf.notAfter.subtractingReportingOverflow(leaf.notBefore)
        if overflow || lifetime > 825 * 86_400 { return 4 }
        return lifetime > 180 * 86_400 ? 3 : 2
    }

    private static var transparencyExamples: [RuleExample] {
        func example(
            _ title: String, _ expected: RuleOutcome, _ embedded: Int, handshake: Int = 0, stapled: Int = 0,
            days: Int64 = 90, _ change: @escaping (inout HandshakeCase) -> Void = { _ in }
        ) -> RuleExample {
            RuleExample(title, expected) {
                $0.transparency = .verified
                $0.facts.scts = SCTCounts(embedded: embedded, handshake: handshake, stapled: stapled)
                $0.now = $0.facts.path.first?.notBefore ?? 0
                $0.changeLeaf { $0.notAfter = $0.notBefore + days * 86_400 }
                change(&$0)
            }
        }
        func old(_ title: String, _ expected: RuleOutcome, _ embedded: Int, days: Int64) -> RuleExample {
            example(title, expected, embedded) {
                $0.now = CertificateDate.april2021 - 1
                $0.changeLeaf {
                    $0.notBefore = CertificateDate.april2021 - 1
                    $0.notAfter = $0.notBefore + days * 86_400
                }
            }
        }
        return [
            example("one of two for 90 days", .fail, 1), example("two for 90 days", .pass, 2),
            example("two for 180 days", .pass, 2, days: 180), example("two for 181 days", .fail, 2, days: 181),
            example("three for 398 days", .pass, 3, days: 398), example("three for 826 days", .fail, 3, days: 826),
            example("one embedded, one stapled", .pass, 1, stapled: 1),
            example("two in the handshake", .pass, 0, handshake: 2),
            example("one in the handshake", .fail, 0, handshake: 1),
            old("two for 14 months of 2021", .pass, 2, days: 426), old("two for 16 months", .fail, 2, days: 490),
            old("three for 26 months", .pass, 3, days: 800), old("three for 28 months", .fail, 3, days: 860),
            old("four for 38 months", .pass, 4, days: 1_170), old("four for 40 months", .fail, 4, days: 1_230),
            example("none, and no log list", .warn, 0) { $0.transparency = .counted },
            example("none, under a root of the user", .notInForce, 0) { $0.facts.anchor = .user },
            example("none, on an expired leaf", .notInForce, 0) { $0.now = Int64.max },
            example("none, on a leaf of 2018", .notInForce, 0) {
                $0.changeLeaf { $0.notBefore = CertificateDate.october2018 - 1 }
            },
            example("none, on iOS 10", .notInForce, 0) { $0.profile = .iOS10 },
        ]
    }
}

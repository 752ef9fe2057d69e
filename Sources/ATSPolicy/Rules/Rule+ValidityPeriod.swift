import Text

extension RuleID {
    public static let validityPeriod = RuleID("trust.validity-period", .trust)
}

extension Rule {
    /// The longest validity of a leaf, which depends on its first day. A leaf that was itself installed as trusted is
    /// exempt. Source: Apple support 103769; docs/law/trust.md#validity-period: 825 days (documented), with an hour of
    /// tolerance (source); 398 days (documented), without.
    static let validityPeriod = Rule(
        .validityPeriod, "Certificate valid for too long",
        source: "Apple support 103769, 102028; Security, SecPolicyServer.c; docs/law/trust.md#validity-period",
        confidence: .documented,
        consequence: .certificate(
            .trust, mirrored: .validityPeriod,
            remedy: { handshake, _ in
                // The limit of a leaf that is issued today.
                let limit = handshake.facts.anchor == .system ? daysOf2020 : daysOf2019
                return "Reissue the certificate with a shorter validity period: at most \(limit) days."
            }),
        check: { handshake in
            guard let leaf = handshake.leaf, !handshake.isLeafAnchored else { return .notApplicable }
            guard let limit = limitDays(leaf, handshake.facts.anchor) else { return .notInForce }
            let lifetime = leaf.notAfter.subtractingReportingOverflow(leaf.notBefore)
            let tolerance: Int64 = limit == daysOf2019 ? 3_600 : 0
            guard lifetime.overflow || lifetime.partialValue > limit * Day.seconds + tolerance else { return .pass }
            let days = lifetime.overflow ? Int64.max / Day.seconds : (lifetime.partialValue - 1) / Day.seconds + 1
            return .fail(
                expected: "a certificate that is valid for at most \(limit) days",
                observed: "leaf \(leaf.quotedName) is valid for \(days) days from "
                    + "\(CalendarDay.text(leaf.notBefore))")
        },
        examples: { validityExamples }
    )
    .inForce { $0.hasRequirementsOf2019 }

    /// Returns the shortest limit that applies to a leaf; nil for one from before all of them. The sources do not state
    /// which release began to enforce 398 days; iOS 13 is assumed, as for the rule before it (inferred).
    private static func limitDays(_ leaf: CertificateFacts, _ anchor: TrustAnchor) -> Int64? {
        if anchor == .system, leaf.notBefore >= CertificateDate.september2020 { return daysOf2020 }
        if leaf.notBefore > CertificateDate.july2019 { return daysOf2019 }
        return anchor == .system && leaf.notBefore >= CertificateDate.march2018 ? daysOf2019 : nil
    }

    private static let daysOf2019: Int64 = 825
    private static let daysOf2020: Int64 = 398

    private static var validityExamples: [RuleExample] {
        func leaf(
            _ title: String, _ expected: RuleOutcome, from begin: Int64, days: Int64, plus seconds: Int64 = 0,
            anchor: TrustAnchor = .system
        ) -> RuleExample {
            RuleExample(title, expected) {
                $0.facts.anchor = anchor
                $0.changeLeaf {
                    $0.notBefore = begin
                    $0.notAfter = begin + days * Day.seconds + seconds
                }
            }
        }
        let (march, july, september) = (
            CertificateDate.march2018, CertificateDate.july2019, CertificateDate.september2020
        )
        return [
            leaf("398 days", .pass, from: september, days: 398),
            leaf("398 days and a second", .fail, from: september, days: 398, plus: 1),
            leaf("397 days", .pass, from: september, days: 397),
            leaf("825 days, issued a second before September 2020", .pass, from: september - 1, days: 825),
            leaf("825 days and an hour, issued in 2020", .pass, from: september - 1, days: 825, plus: 3_600),
            leaf("825 days and an hour and a second", .fail, from: september - 1, days: 825, plus: 3_601),
            leaf("825 days, root installed by the user", .pass, from: september, days: 825, anchor: .user),
            leaf("826 days, root installed by the user", .fail, from: september, days: 826, anchor: .user),
            leaf("826 days, untrusted root", .fail, from: september, days: 826, anchor: .unknownRoot),
            leaf("826 days from July 2019, root of the user", .notInForce, from: july, days: 826, anchor: .user),
            leaf("826 days from a second later", .fail, from: july + 1, days: 826, anchor: .user),
            leaf("826 days from March 2018", .fail, from: march, days: 826),
            leaf("826 days from a second before March 2018", .notInForce, from: march - 1, days: 826),
            RuleExample("the leaf itself was installed as trusted", .notApplicable) {
                $0.serveSelfSigned()
                $0.facts.anchor = .user
                $0.changeLeaf { $0.notAfter = $0.notBefore + 4_000 * Day.seconds }
            },
            RuleExample("iOS 10", .notInForce) {
                $0.profile = .iOS10
                $0.changeLeaf { $0.notAfter = $0.notBefore + 4_000 * Day.seconds }
            },
        ]
    }
}

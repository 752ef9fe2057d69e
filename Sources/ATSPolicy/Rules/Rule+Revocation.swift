import Text

extension RuleID {
    public static let revoked = RuleID("trust.revoked", .trust)
}

extension Rule {
    /// A leaf that its issuer's stapled response reports as revoked. The gate itself queries no responder, so a revoked
    /// leaf without a staple passes here. The behaviour of Apple's systems is inferred. Known are only that all trust
    /// failures end alike (docs/law/errors.md#by-failure), and an error code for the peer's alert
    /// (docs/law/errors.md#stream-codes).
    static let revoked = Rule(
        .revoked, "Revoked certificate",
        source: "RFC 6960 sections 2.2 and 4.2.2.1; RFC 6066 section 8; docs/law/trust.md#revocation",
        confidence: .inferred,
        consequence: .certificate(
            .trust, remedy: { _, _ in "Replace the certificate; use a new key if the old one was compromised." }),
        check: { handshake in
            guard let staple = handshake.facts.staple, let leaf = handshake.leaf,
                staple.isInDate(at: handshake.now)
            else { return .notApplicable }
            switch staple.status {
            case .good: return .pass
            case .unknown, .invalid: return .notApplicable
            case .revoked(let time, let reason):
                let why = reason.flatMap { revocationReasons[$0] }.map { " (\($0))" } ?? ""
                return .fail(
                    expected: "a leaf that is not revoked",
                    observed: "leaf \(leaf.quotedName) was revoked on \(CalendarDay.text(time))\(why)")
            }
        },
        examples: {
            let now = HandshakeCase.sample.now
            func example(
                _ title: String, _ expected: RuleOutcome, _ staple: StapledAnswer?
            ) -> RuleExample {
                RuleExample(title, expected) { $0.facts.staple = staple }
            }
            let revoked = StapledAnswer.Status.revoked(at: now - Day.seconds, reason: 1)
            return [
                example("revoked", .fail, StapledAnswer(revoked, thisUpdate: now - 1, nextUpdate: now + 1)),
                example("revoked, response from this second", .fail, StapledAnswer(revoked, thisUpdate: now)),
                example("revoked, in the response's last second", .fail, StapledAnswer(revoked, nextUpdate: now)),
                example("revoked, outdated response", .notApplicable, StapledAnswer(revoked, nextUpdate: now - 1)),
                example("revoked, future response", .notApplicable, StapledAnswer(revoked, thisUpdate: now + 1)),
                example("good", .pass, StapledAnswer(.good, thisUpdate: now)),
                example("unknown", .notApplicable, StapledAnswer(.unknown, thisUpdate: now)),
                example("response of another issuer", .notApplicable, StapledAnswer(.invalid, thisUpdate: now)),
                example("no staple", .notApplicable, nil),
            ]
        })

    /// Source: RFC 5280 section 5.3.1.
    private static let revocationReasons = [
        0: "unspecified", 1: "keyCompromise", 2: "cACompromise", 3: "affiliationChanged", 4: "superseded",
        5: "cessationOfOperation", 6: "certificateHold", 8: "removeFromCRL", 9: "privilegeWithdrawn",
        10: "aACompromise",
    ]
}

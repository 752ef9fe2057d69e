extension RuleID {
    public static let expired = RuleID("trust.expired", .trust)
}

extension Rule {
    /// No certificate of the path has expired, including its anchor; both ends of the validity period are inside it (RFC
    /// 5280 section 4.1.2.5). Source: Security, SecPolicyServer.c, SecPolicyCheckTemporalValidity (before iOS 12:
    /// kSecPolicyCheckValidRoot), which exempts only Apple's own roots; docs/law/trust.md#dates,
    /// docs/law/trust.md#words-of-a-trust-evaluation (TemporalValidity).
    static let expired = Rule(
        .expired, "Expired certificate", source: "Security, SecPolicyServer.c; docs/law/trust.md#dates",
        confidence: .documented,
        consequence: .certificate(
            .trust, strict: .observed, mirrored: .expired,
            lax: { _ in StreamStatus(-9814, "errSSLCertExpired", .observed) },
            remedy: { _, _ in "Renew the certificate." }),
        check: { handshake in
            let certificates = handshake.wholePath
            guard !certificates.isEmpty else { return .notApplicable }
            guard let index = certificates.firstIndex(where: { $0.notAfter < handshake.now }) else { return .pass }
            let title = handshake.title(of: index, certificates[index])
            return .fail(
                expected: "certificates valid on \(CalendarDay.text(handshake.now))",
                observed: "\(title) expired on \(CalendarDay.text(certificates[index].notAfter))")
        },
        examples: {
            [
                RuleExample("a second after its end", .fail) { $0.changeLeaf { $0.notAfter = exampleNow - 1 } },
                RuleExample("in its last second", .pass) { $0.changeLeaf { $0.notAfter = exampleNow } },
                RuleExample("a second before its end", .pass) { $0.changeLeaf { $0.notAfter = exampleNow + 1 } },
                RuleExample("an intermediate has expired", .fail) {
                    $0.changePath(at: 1) { $0.notAfter = exampleNow - 1 }
                },
                RuleExample("an expired anchor", .fail) {
                    $0.changePath(at: 2) { $0.notAfter = exampleNow - 1 }
                },
                RuleExample("the leaf itself is the anchor", .pass) {
                    $0.serveSelfSigned()
                    $0.facts.anchor = .user
                },
                RuleExample("no certificate", .notApplicable) { ($0.facts.path, $0.facts.served) = ([], []) },
            ]
        })

    private static let exampleNow = HandshakeCase.sample.now
}

extension RuleID {
    public static let notYetValid = RuleID("trust.not-yet-valid", .trust)
}

extension Rule {
    /// No certificate of the path starts in the future. Sources are those of ``expired``.
    static let notYetValid = Rule(
        .notYetValid, "Certificate not valid yet",
        source: "Security, SecPolicyServer.c; docs/law/trust.md#dates", confidence: .documented,
        consequence: .certificate(
            .trust, strict: .observed, mirrored: .notYetValid,
            lax: { _ in StreamStatus(-9815, "errSSLCertNotYetValid", .inferred) },
            remedy: { _, _ in "Serve a certificate that is already valid. Check the clocks of client and server." }),
        check: { handshake in
            let certificates = handshake.wholePath
            guard !certificates.isEmpty else { return .notApplicable }
            guard let index = certificates.firstIndex(where: { $0.notBefore > handshake.now }) else { return .pass }
            let title = handshake.title(of: index, certificates[index])
            return .fail(
                expected: "certificates valid on \(CalendarDay.text(handshake.now))",
                observed: "\(title) is not valid before \(CalendarDay.text(certificates[index].notBefore))")
        },
        examples: {
            [
                RuleExample("a second before its start", .fail) { $0.changeLeaf { $0.notBefore = exampleNow + 1 } },
                RuleExample("in its first second", .pass) { $0.changeLeaf { $0.notBefore = exampleNow } },
                RuleExample("a second after its start", .pass) { $0.changeLeaf { $0.notBefore = exampleNow - 1 } },
                RuleExample("an anchor that is not valid yet", .fail) {
                    $0.changePath(at: 2) { $0.notBefore = exampleNow + 1 }
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

extension RuleID {
    public static let serverAuthEKU = RuleID("trust.server-auth-eku", .trust)
}

extension Rule {
    /// A leaf must say that it is for servers. anyExtendedKeyUsage counts. Source: `ats-semantics.md` section 5 `[D]`;
    /// that roots trusted by the user are exempt, and roots of the system never, is from `[S]`.
    static let serverAuthEKU = Rule(
        .serverAuthEKU, "Certificate not made for TLS servers",
        source: "Apple support 103769; Security SecPolicyServer.c; ats-semantics.md 5", confidence: .documented,
        isInForce: { $0.hasRequirementsOf2019 },
        consequence: .certificate(
            .trust, mirrored: .clientAuthOnly,
            remedy: { "Reissue with the extended key usage serverAuth; \($1.observed)." }),
        check: { handshake in
            guard let leaf = handshake.leaf else { return .notApplicable }
            switch handshake.facts.anchor {
            case .user: return .notInForce
            case .system: break
            case .selfSignedLeaf, .unknownRoot, .incomplete, .broken:
                guard leaf.notBefore > CertificateDate.july2019 else { return .notInForce }
            }
            guard !handshake.isLeafAnchored else { return .notApplicable }
            guard leaf.allowsServerAuth != true else { return .pass }
            return .fail(
                expected: "the extended key usage serverAuth",
                observed: leaf.allowsServerAuth == nil
                    ? "leaf \(leaf.quotedName) has no extended key usage"
                    : "leaf \(leaf.quotedName) has an extended key usage without serverAuth")
        },
        examples: {
            [
                RuleExample("for clients only", .fail) { $0.changeLeaf { $0.allowsServerAuth = false } },
                RuleExample("no extended key usage", .fail) { $0.changeLeaf { $0.allowsServerAuth = nil } },
                RuleExample("serverAuth, or any", .pass),
                RuleExample("issued before 2019, under a root of the system", .fail) {
                    $0.changeLeaf {
                        $0.allowsServerAuth = false
                        $0.notBefore = CertificateDate.july2019 - 1
                    }
                },
                RuleExample("an unknown root, in the first second of July 2019", .notInForce) {
                    $0.facts.anchor = .unknownRoot
                    $0.changeLeaf {
                        $0.allowsServerAuth = false
                        $0.notBefore = CertificateDate.july2019
                    }
                },
                RuleExample("an unknown root, a second later", .fail) {
                    $0.facts.anchor = .unknownRoot
                    $0.changeLeaf {
                        $0.allowsServerAuth = false
                        $0.notBefore = CertificateDate.july2019 + 1
                    }
                },
                RuleExample("a root that the user installed", .notInForce) {
                    $0.facts.anchor = .user
                    $0.changeLeaf { $0.allowsServerAuth = false }
                },
                RuleExample("iOS 10", .notInForce) {
                    $0.profile = .iOS10
                    $0.changeLeaf { $0.allowsServerAuth = false }
                },
            ]
        })
}

/// Days on which Apple's rules about certificates begin: midnight UTC, in seconds since 1970. Source:
/// `ats-semantics.md` section 5.
enum CertificateDate {
    /// 2018-03-01.
    static let march2018: Int64 = 1_519_862_400
    /// 2018-10-16.
    static let october2018: Int64 = 1_539_648_000
    /// 2019-07-01.
    static let july2019: Int64 = 1_561_939_200
    /// 2020-09-01.
    static let september2020: Int64 = 1_598_918_400
    /// 2021-04-21.
    static let april2021: Int64 = 1_618_963_200
}

extension RuleID {
    public static let serverAuthEKU = RuleID("trust.server-auth-eku", .trust)
}

extension Rule {
    /// The leaf allows TLS servers. An extended key usage must include servers, regardless of anchor and age;
    /// anyExtendedKeyUsage counts. Source: Apple, Security, SecPolicy.c, set_ssl_ekus (before: SecPolicyCreateSSL). A
    /// leaf without the extension fails only by the requirements of 2019: Apple support 103769 (documented). Roots
    /// trusted by the user are exempt, system roots never: Security, SecPolicyServer.c, SecPolicyCheckServerAuthEKU
    /// (source). Intermediates with an extended key usage must include servers, too, since the fix of CVE-2026-86881; that
    /// the fix rejects such a path is inferred from its text.
    static let serverAuthEKU = Rule(
        .serverAuthEKU, "Certificate not issued for TLS servers",
        source: "Apple support 103769; Security, SecPolicyServer.c; docs/law/trust.md#server-authentication",
        confidence: .documented,
        consequence: .certificate(
            .trust, mirrored: .clientAuthOnly,
            remedy: { handshake, _ in
                handshake.leaf?.allowsServerAuth == true
                    ? "Serve a chain whose intermediates have the extended key usage serverAuth, or none."
                    : "Reissue the certificate with the extended key usage serverAuth."
            }),
        check: { handshake in
            guard let leaf = handshake.leaf else { return .notApplicable }
            let isBroken =
                leaf.allowsServerAuth == false
                || leaf.allowsServerAuth == nil && requiresServerAuth(leaf, handshake)
            guard isBroken else {
                return intermediateWithoutServerAuth(handshake)
                    ?? (leaf.allowsServerAuth == nil ? .notInForce : .pass)
            }
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
                RuleExample("for clients only, issued before 2019 under a system root", .fail) {
                    $0.changeLeaf {
                        $0.allowsServerAuth = false
                        $0.notBefore = CertificateDate.july2019 - 1
                    }
                },
                RuleExample("for clients only, under a root installed by the user", .fail) {
                    $0.facts.anchor = .user
                    $0.changeLeaf { $0.allowsServerAuth = false }
                },
                RuleExample("for clients only, and itself installed as trusted", .fail) {
                    $0.serveSelfSigned()
                    $0.facts.anchor = .user
                    $0.changeLeaf { $0.allowsServerAuth = false }
                },
                RuleExample("for clients only, on iOS 10", .fail) {
                    $0.profile = .iOS10
                    $0.changeLeaf { $0.allowsServerAuth = false }
                },
                RuleExample("for clients only, issued before 2019 under an untrusted root", .fail) {
                    $0.facts.anchor = .unknownRoot
                    $0.changeLeaf {
                        $0.allowsServerAuth = false
                        $0.notBefore = CertificateDate.july2019
                    }
                },
                RuleExample("an intermediate for clients only, on iOS 27", .fail) {
                    $0.profile = .iOS27
                    $0.changePath(at: 1) { $0.allowsServerAuth = false }
                },
                RuleExample("an intermediate without a usage, on iOS 27", .pass) {
                    $0.profile = .iOS27
                    $0.changePath(at: 1) { $0.allowsServerAuth = nil }
                },
                RuleExample("a root for clients only, on iOS 27", .pass) {
                    $0.profile = .iOS27
                    $0.changePath(at: 2) { $0.allowsServerAuth = false }
                },
                RuleExample("an intermediate for clients only, on iOS 26.4", .pass) {
                    $0.profile = .iOS26_4
                    $0.changePath(at: 1) { $0.allowsServerAuth = false }
                },
                RuleExample("none, under an unknown root, in the first second of July 2019", .notInForce) {
                    $0.facts.anchor = .unknownRoot
                    $0.changeLeaf {
                        $0.allowsServerAuth = nil
                        $0.notBefore = CertificateDate.july2019
                    }
                },
                RuleExample("none, under an unknown root, a second later", .fail) {
                    $0.facts.anchor = .unknownRoot
                    $0.changeLeaf {
                        $0.allowsServerAuth = nil
                        $0.notBefore = CertificateDate.july2019 + 1
                    }
                },
                RuleExample("none, under a root installed by the user", .notInForce) {
                    $0.facts.anchor = .user
                    $0.changeLeaf { $0.allowsServerAuth = nil }
                },
                RuleExample("none, on iOS 10", .notInForce) {
                    $0.profile = .iOS10
                    $0.changeLeaf { $0.allowsServerAuth = nil }
                },
            ]
        })

    /// Returns a failing answer for the first intermediate whose usages exclude servers.
    private static func intermediateWithoutServerAuth(_ handshake: HandshakeCase) -> RuleAnswer? {
        guard handshake.profile.checksIntermediateUsages else { return nil }
        let issuers = handshake.certificatesBelowAnchor.enumerated().dropFirst()
        return issuers.first { $0.element.allowsServerAuth == false }.map { position, issuer in
            .fail(
                expected: "the extended key usage serverAuth, or none, in every intermediate",
                observed: "\(handshake.title(of: position, issuer)) has an extended key usage without serverAuth")
        }
    }

    /// True if a leaf without the extension is rejected for that.
    private static func requiresServerAuth(_ leaf: CertificateFacts, _ handshake: HandshakeCase) -> Bool {
        guard handshake.profile.hasRequirementsOf2019, !handshake.isLeafAnchored else { return false }
        return switch handshake.facts.anchor {
        case .user: false
        case .system: true
        case .selfSignedLeaf, .unknownRoot, .incomplete, .broken: leaf.notBefore > CertificateDate.july2019
        }
    }
}

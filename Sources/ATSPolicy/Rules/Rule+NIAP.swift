extension RuleID {
    public static let niap = RuleID("ats.niap", .ats)
}

extension Rule {
    /// The requirements of a NIAP package beyond its shorter list of suites, which `ats.cipher-suite` judges: no
    /// `rsa_pkcs1_sha1` in the handshake, certificates signed with an algorithm that the client offered, and an
    /// extended master secret with TLS 1.2. libboringssl requires the last two once it has the certificate (strings of
    /// 26.5 and 27; docs/law/niap.md#failure). The error code that a device reports is not published. Source: Apple,
    /// NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#package-21.
    static let niap = Rule(
        .niap, "Handshake that violates the app's NIAP package",
        source: "Apple, NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#package-21", confidence: .documented,
        keyPath: { $0.keyPath(ATSKey.exceptionNIAPVersion) },
        consequence: .handshake(
            // Apple publishes no error code for it. The origin accepted the device's own offer, so the device detects
            // the breach itself. A protocol error is the closest known case (inferred; docs/law/niap.md#package-21).
            .library(0), .violation, waiver: { _ in .noNIAPPackage },
            remedy: { _, _ in
                "Enable TLS 1.3, or TLS 1.2 with the extended master secret (RFC 7627) and SHA-2 signatures."
            }),
        check: { handshake in
            guard let package = handshake.demands?.niap, package.narrowsSuites else { return .notInForce }
            if handshake.facts.signature?.isPKCS1WithSHA1 == true {
                return .fail(
                    expected: "a handshake signature other than rsa_pkcs1_sha1, for \(package.rawValue)",
                    observed: "TLS \(handshake.facts.version.name) signed with rsa_pkcs1_sha1")
            }
            if handshake.facts.version < .tls13, handshake.facts.usesExtendedMasterSecret == false {
                return .fail(
                    expected: "the extended master secret, for \(package.rawValue)",
                    observed: "TLS \(handshake.facts.version.name) without the extended master secret")
            }
            let certificates = handshake.certificatesBelowAnchor
            if let index = certificates.indices.first(where: { !certificates[$0].hasOfferedSignature }) {
                let certificate = certificates[index]
                return .fail(
                    expected: "certificate signatures that the client offers, for \(package.rawValue)",
                    observed: "\(handshake.title(of: index, certificate)) is signed with "
                        + certificate.signature.singleLine)
            }
            return .pass
        },
        examples: { niapExamples })

    private static var niapExamples: [RuleExample] {
        [
            RuleExample("TLS 1.2 without an extended master secret", .fail) {
                $0.demands?.niap = .fcp21
                $0.facts.usesExtendedMasterSecret = false
            },
            RuleExample("TLS 1.2 with it", .pass) {
                $0.demands?.niap = .recommended
                $0.facts.usesExtendedMasterSecret = true
            },
            RuleExample("TLS 1.3, where the extension has no meaning", .pass) {
                $0.demands?.niap = .fcp21
                $0.facts.version = .tls13
                $0.facts.suite = .exampleTLS13
            },
            signed("a handshake signed with rsa_pkcs1_sha1", .rsaPKCS1, 160, .fail),
            signed("a handshake signed with rsa_pkcs1_sha256", .rsaPKCS1, 256, .pass),
            signed("a handshake signed with ecdsa_sha1, which the package does not name", .ecdsa, 160, .pass),
            certified("a certificate signed with ECDSA and SHA-384", "ecdsa-with-SHA384", 384, .pass),
            certified("a certificate signed with Ed25519", "ED25519", nil, .fail),
            certified("a SHA-1 certificate, which ats.signature-hash judges", "sha1WithRSAEncryption", 160, .pass),
            RuleExample("an anchor signed with Ed25519", .pass) {
                $0.demands?.niap = .fcp21
                $0.changePath(at: 2) { $0.signature = "ED25519" }
            },
            RuleExample("an entry undoes the global key", .notInForce) {
                $0.demands?.niap = NIAPPackage.none
                $0.facts.usesExtendedMasterSecret = false
            },
            RuleExample("no package is required", .notInForce) {
                $0.facts.signature = HandshakeSignature(.rsaPKCS1, hashBits: 160)
            },
        ]
    }

    private static func signed(
        _ title: String, _ scheme: HandshakeSignature.Scheme, _ hashBits: Int, _ expected: RuleOutcome
    ) -> RuleExample {
        RuleExample(title, expected) {
            $0.demands?.niap = .fcp21
            $0.facts.signature = HandshakeSignature(scheme, hashBits: hashBits)
        }
    }

    private static func certified(
        _ title: String, _ signature: String, _ hashBits: Int?, _ expected: RuleOutcome
    ) -> RuleExample {
        RuleExample(title, expected) {
            $0.demands?.niap = .fcp21
            $0.changeLeaf {
                $0.signature = signature
                $0.signatureHashBits = hashBits
            }
        }
    }
}

extension CertificateFacts {
    /// True for RSA and ECDSA signatures with a separate hash. Devices are assumed to offer BoringSSL's list
    /// (inferred). `ats.signature-hash` checks the length of the hash.
    var hasOfferedSignature: Bool {
        signature.hasSuffix("WithRSAEncryption") || signature.hasPrefix("ecdsa-with-") || signature == "rsassaPss"
    }
}

extension ExceptionFix.Setting {
    /// An entry's own key overrides the global one (documented; docs/law/niap.md#package-21).
    static let noNIAPPackage = ExceptionFix.Setting(ATSKey.exceptionNIAPVersion, .text(NIAPPackage.none.rawValue))
}

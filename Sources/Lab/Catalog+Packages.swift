import ATSPolicy

extension OriginSpecification {
    /// Origins that only a NIAP package rejects, in addition to those whose suites it excludes. Source: Apple,
    /// NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#package-21.
    static let packages = [
        OriginSpecification(
            name: "no-ems.lab.test",
            flaw: "No flaw except under NIAP: TLS 1.2 without the extended master secret.",
            behaviour: .tls(Handshake(maximum: .tls12, extendsMasterSecret: false)), underNIAP: .package),
        // A device with the package does not offer this signature, so they share none and the origin sends alert 40.
        OriginSpecification(
            name: "pkcs1-sha1.lab.test",
            flaw: "No flaw except under NIAP: signs TLS 1.2 handshakes with rsa_pkcs1_sha1 only.",
            behaviour: .tls(Handshake(leaf: rsaLeaf, maximum: .tls12, signatures: "RSA+SHA1")), underNIAP: .suite(.niap)
        ),
    ]
}

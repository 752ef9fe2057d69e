import ATSPolicy

extension OriginSpecification {
    /// What only a NIAP package objects to, beside the suites that it leaves out. Source: Apple,
    /// NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#package-21.
    static let packages = [
        OriginSpecification(
            name: "no-ems.lab.test",
            flaw: "Nothing is wrong but for NIAP: TLS 1.2 without the extended master secret.",
            behaviour: .tls(Handshake(maximum: .tls12, extendsMasterSecret: false)), underNIAP: .package),
        // A device with the package does not offer this signature, so the two share none and the origin says alert 40.
        OriginSpecification(
            name: "pkcs1-sha1.lab.test",
            flaw: "Nothing is wrong but for NIAP: signs TLS 1.2 handshakes with rsa_pkcs1_sha1 only.",
            behaviour: .tls(Handshake(leaf: rsaLeaf, maximum: .tls12, signatures: "RSA+SHA1")), underNIAP: .suite(.niap)
        ),
    ]
}

import ATSPolicy
import TLSEngine

extension OriginSpecification {
    /// The origins of a lab of that extent. Each breaks exactly one rule, so add a row here for every new rule.
    static func catalog(_ extent: LabExtent) -> [OriginSpecification] {
        switch extent {
        case .basic: basics
        case .full:
            basics + suites + keys + lifetimes + uses + wildcards + packages + transparency + staples + behaviours
        }
    }

    private static let basics = sound + parameters + certificates + names + chains + broken

    private static let sound = [
        OriginSpecification(
            name: "good.lab.test", flaw: "No flaw: TLS 1.3 with an EC key.",
            behaviour: .tls(Handshake(minimum: .tls13)), outcomes: .tls13Only),
        OriginSpecification(
            name: "good12.lab.test", flaw: "No flaw: TLS 1.2 with ECDHE and an RSA key of 2048 bits.",
            behaviour: .tls(Handshake(leaf: rsaLeaf, maximum: .tls12))),
        OriginSpecification(
            name: "cleartext.lab.test", flaw: "Speaks plain HTTP.", behaviour: .cleartext,
            outcomes: .always(.cleartext),
            waiver: .cleartext),
    ]

    /// Origins with weak versions and suites.
    private static let parameters = [
        old(.tls10, name: "tls10.lab.test"),
        old(.tls11, name: "tls11.lab.test"),
        OriginSpecification(
            name: "rsa-kx.lab.test", flaw: "Supports only TLS 1.2 suites with static RSA key exchange.",
            behaviour: .tls(
                Handshake(leaf: rsaLeaf, maximum: .tls12, cipherList: "AES256-GCM-SHA384:AES128-GCM-SHA256")),
            outcomes: .always(.suite(.forwardSecrecy)), waiver: .staticRSA),
        OriginSpecification(
            name: "dhe.lab.test", flaw: "Supports only TLS 1.2 suites with finite-field DHE key exchange.",
            behaviour: .tls(
                Handshake(
                    leaf: rsaLeaf, maximum: .tls12,
                    cipherList: "DHE-RSA-AES256-GCM-SHA384:DHE-RSA-AES128-GCM-SHA256")),
            outcomes: .always(.suite(.cipherSuite))),
    ]

    private static let certificates = [
        chain("sha1.lab.test", .signatureHash, "The leaf is signed with SHA-1.") { $0.digest = .sha1 },
        chain("rsa1024.lab.test", .keySize, "The leaf has an RSA key of 1024 bits.") { $0.key = .rsa(bits: 1_024) },
        chain("expired.lab.test", .expired, "The leaf expired yesterday.") { $0.validDays = -91..<(-1) },
        chain("not-yet-valid.lab.test", .notYetValid, "The leaf becomes valid tomorrow.") {
            $0.validDays = 1..<91
        },
    ]

    private static let names = [
        chain("wrong-host.lab.test", .hostName, "The leaf is for other.lab.test.") {
            $0.naming = .other("other.lab.test")
        },
        // Before iOS 13 the common name counted. Source: Apple support 103769;
        // docs/law/trust.md#subject-alternative-name.
        chain(
            "no-san.lab.test", .since13(.noSAN),
            "The leaf has its name only as common name, not as subjectAltName."
        ) {
            $0.naming = .commonNameOnly
        },
    ]

    private static let chains = [
        chain("self-signed.lab.test", .selfSigned, "The leaf is self-signed.") { $0.issuer = .itself },
        chain("untrusted-root.lab.test", .untrustedRoot, "The chain ends at an untrusted root.") {
            $0.issuer = .strangerRoot
        },
        chain("incomplete-chain.lab.test", .incompleteChain, "The server does not send the intermediate certificate.") {
            $0.issuer = .hiddenIntermediate
        },
    ]

    private static let broken = [
        OriginSpecification(
            name: "closes.lab.test", flaw: "Closes the connection right after the ClientHello.", behaviour: .closes,
            outcomes: .always(.closed)),
        OriginSpecification(
            name: "garbage.lab.test", flaw: "Answers a ClientHello with plain HTTP.", behaviour: .garbage,
            outcomes: .always(.notTLS)),
    ]

    /// The version is the only flaw: the suites have been in every ATS list since iOS 9 and fit the old versions
    /// (source; docs/law/tls.md#suites).
    private static func old(_ version: TLSVersion, name: String) -> OriginSpecification {
        OriginSpecification(
            name: name, flaw: "Supports no version newer than TLS \(version.name).",
            behaviour: .tls(
                Handshake(
                    minimum: .tls10, maximum: version, cipherList: "ECDHE-ECDSA-AES256-SHA:ECDHE-ECDSA-AES128-SHA")),
            outcomes: .always(.version), waiver: .version(version))
    }

    /// An origin with a good handshake and a flawed chain.
    static func chain(
        _ name: String, _ outcomes: ExpectedOutcomes, _ flaw: String, _ spoil: (inout LeafPlan) -> Void
    ) -> OriginSpecification {
        var handshake = Handshake()
        spoil(&handshake.leaf)
        return OriginSpecification(name: name, flaw: flaw, behaviour: .tls(handshake), outcomes: outcomes)
    }

    /// An origin with a chain that no release accepts.
    static func chain(
        _ name: String, _ rule: RuleID, _ flaw: String, _ spoil: (inout LeafPlan) -> Void
    ) -> OriginSpecification {
        chain(name, .always(.chain(rule)), flaw, spoil)
    }

    static let rsaLeaf = LeafPlan(key: .rsa(bits: 2_048))
}

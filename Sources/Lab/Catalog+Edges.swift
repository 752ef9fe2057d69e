import ATSPolicy
import TLSEngine

/// Origins at the limits of the rules on certificates.
extension OriginSpecification {
    /// Source: Apple, Preventing Insecure Network Connections; Security, SecPolicy.c; docs/law/trust.md#ats-minimums,
    /// docs/law/trust.md#certificate-scope.
    static let keys = [
        chain("rsa2047.lab.test", .keySize, "The leaf has an RSA key of 2047 bits, one too few.") {
            $0.key = .rsa(bits: 2_047)
        },
        small(.p192, "p192.lab.test"), small(.p224, "p224.lab.test"),
        smallIssuer,
        chain("p384.lab.test", .always(.allowed), "No flaw: an EC key of 384 bits.") {
            $0.key = .ec(curve: .p384)
        },
        // docs/law/tls.md#groups-and-signatures (observed): TLS 1.3 ties a P-521 key to a signature that no hello since
        // 12.2, the first with 1.3, contains.
        chain(
            "p521.lab.test", .before(OSVersion(12, 2), .allowed, then: .alert(40)),
            "The leaf has an EC key of 521 bits, whose signature in TLS 1.3 no device offers."
        ) { $0.key = .ec(curve: .p521) },
        chain(
            "ed25519.lab.test", .always(.alert(40)),
            "The leaf has an Ed25519 key, whose signature no device offers."
        ) { $0.key = .ed25519 },
        chain("sha1-issuer.lab.test", .signatureHash, "The intermediate certificate is signed with SHA-1.") {
            $0.issuer = .sha1Intermediate
        },
    ]

    /// Source: Apple support 103769; docs/law/trust.md. With `--roots` the lab's root counts as the system's, and the
    /// limit is 398 days. With `--extra-ca` it counts as the user's, and the limit is 825 days.
    static let lifetimes = [
        lifetime(826, user: .since13(.validityPeriod)), lifetime(825, user: .always(.allowed)),
        lifetime(399, user: .always(.allowed)),
        chain(
            "days398.lab.test", .always(.allowed), "No flaw: 398 days is the longest validity of a leaf.",
            { $0.validDays = -1..<397 }),
    ]

    /// Source: Apple support 103769; for the exemption of user roots: Security, SecPolicyCheckServerAuthEKU;
    /// docs/law/trust.md#server-authentication.
    static let uses = [
        chain("no-eku.lab.test", serverAuth, "The leaf has no extended key usage.") { $0.usages = nil },
        chain("client-eku.lab.test", .serverAuthEKU, "The leaf is for TLS clients only.") { $0.usages = [.clientAuth] },
        chain("any-eku.lab.test", .always(.allowed), "No flaw: the leaf is for any extended use.") {
            $0.usages = [.any]
        },
    ]

    /// Source: Security, SecPolicyLeafCallbacks.c; docs/law/trust.md#host-name.
    static let wildcards = [
        chain(
            "one.wildcard.lab.test", .always(.allowed), "No flaw: the leaf is for *.wildcard.lab.test."
        ) { $0.naming = .other("*.wildcard.lab.test") },
        chain(
            "one.two.wildcard.lab.test", .hostName,
            "The leaf is for *.wildcard.lab.test, but a wildcard matches one label only."
        ) { $0.naming = .other("*.wildcard.lab.test") },
    ]

    /// An EC leaf on a curve that no device offers, so the origin finds no suite for it: alert 40. Source: RFC 8422
    /// section 5.1; the groups of a device are BoringSSL's (inferred).
    private static func small(_ curve: CertificateRecipe.Curve, _ name: String) -> OriginSpecification {
        var handshake = Handshake(maximum: .tls12)
        handshake.leaf.key = .ec(curve: curve)
        return OriginSpecification(
            name: name,
            flaw: "The leaf has an EC key on \(curve.rawValue), a curve that devices do not offer (inferred).",
            behaviour: .tls(handshake), outcomes: .always(.alert(40)), isOptional: true)
    }

    private static let smallIssuer: OriginSpecification = {
        var specification = chain("p224-issuer.lab.test", .keySize, "The intermediate has an EC key of 224 bits.") {
            $0.issuer = .smallIntermediate
        }
        specification.isOptional = true
        return specification
    }()

    private static func lifetime(_ days: Int64, user: ExpectedOutcomes) -> OriginSpecification {
        chain(
            "days\(days).lab.test", .since13(.validityPeriod).underUserRoot(user), "The leaf is valid for \(days) days."
        ) { $0.validDays = -1..<(days - 1) }
    }

    private static let serverAuth = ExpectedOutcomes.since13(.serverAuthEKU).underUserRoot(.always(.allowed))
}

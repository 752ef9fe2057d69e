import ATSPolicy

/// Handshakes for the tests of rules, verdicts and remedies, made with the public API.
enum RuleCases {
    /// 2026-09-21.
    static let now: Int64 = 1_790_000_000
    static let host = "api.example.com"
    static let target = LoadTarget(scheme: .https, host: host, port: 443)
    static let secureDefault = RulingBasis(step: .secureDefault)

    /// A handshake without a fault under the secure defaults.
    static func good(_ profile: OSProfile = .iOS26) -> HandshakeCase {
        HandshakeCase(
            facts: facts, host: host, demands: demands(profile), profile: profile, now: now, basis: secureDefault)
    }

    static func good(_ profile: OSProfile = .iOS26, _ change: (inout HandshakeCase) -> Void) -> HandshakeCase {
        var handshake = good(profile)
        change(&handshake)
        return handshake
    }

    static func demands(_ profile: OSProfile) -> TLSDemands {
        TLSDemands(
            minimumTLS: .tls12, forwardSecrecy: true, strictTrust: true, certificateFloor: true,
            suites: profile.atsSuites)
    }

    static func offer(_ profile: OSProfile) -> TLSOffer {
        TLSOffer(minimum: .tls12, maximum: .tls13, suites: profile.atsSuites)
    }

    static let facts = HandshakeFacts(
        version: .tls12, suite: CipherSuite(code: 0xC02F, name: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
        group: "X25519", alpn: "h2", served: [leaf, issuer], path: [leaf, issuer, root], anchor: .system)

    static let leaf = certificate(host, by: "Example CA 1") {
        $0.dnsNames = [host]
        $0.allowsServerAuth = true
    }
    static let issuer = certificate("Example CA 1", by: "Example Root") { $0.isCA = true }
    static let root = certificate("Example Root", by: "Example Root") {
        $0.isCA = true
        $0.isSelfIssued = true
    }

    static let staticRSA = CipherSuite(code: 0x002F, name: "TLS_RSA_WITH_AES_128_CBC_SHA")
    static let tripleDES = CipherSuite(code: 0x000A, name: "TLS_RSA_WITH_3DES_EDE_CBC_SHA")
    static let dhe = CipherSuite(code: 0x009E, name: "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256")
    static let oldECDHE = CipherSuite(code: 0xC013, name: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA")

    static func certificate(
        _ name: String, by issuer: String, _ change: (inout CertificateFacts) -> Void = { _ in }
    ) -> CertificateFacts {
        var certificate = CertificateFacts()
        certificate.subject = "CN=\(name),O=Example"
        certificate.issuer = "CN=\(issuer),O=Example"
        certificate.commonName = name
        certificate.keyType = .rsa
        certificate.keyBits = 2_048
        certificate.signature = "sha256WithRSAEncryption"
        certificate.signatureHashBits = 256
        certificate.notBefore = 1_780_000_000
        certificate.notAfter = 1_800_000_000
        change(&certificate)
        return certificate
    }

    static func selfSigned(_ handshake: inout HandshakeCase) {
        handshake.facts.path = [
            certificate(host, by: host) {
                $0.dnsNames = [host]
                $0.allowsServerAuth = true
                $0.isSelfIssued = true
            }
        ]
        handshake.facts.served = handshake.facts.path
        handshake.facts.anchor = .selfSignedLeaf
    }
}

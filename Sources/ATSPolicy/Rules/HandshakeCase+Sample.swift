/// The handshake from which the rules' examples are made.
extension HandshakeCase {
    /// Breaks no rule: TLS 1.2 with ECDHE, a public chain of three certificates, the secure defaults of iOS 26.
    static let sample = HandshakeCase(
        facts: HandshakeFacts(
            version: .tls12, suite: .exampleECDHE, group: "X25519", alpn: "h2", served: Array(samplePath.prefix(2)),
            path: samplePath, anchor: .system, scts: SCTCounts(embedded: 3)),
        host: "api.example.com",
        demands: TLSDemands(
            minimumTLS: .tls12, forwardSecrecy: true, strictTrust: true, certificateFloor: true,
            suites: OSProfile.iOS26.atsSuites),
        profile: .iOS26,
        now: sampleNow, basis: RulingBasis(step: .secureDefault))

    /// Changes the leaf, in the path and in the served chain.
    mutating func changeLeaf(_ change: (inout CertificateFacts) -> Void) {
        changePath(at: 0, change)
    }

    /// Changes a certificate of the path, and the served one at the same position.
    mutating func changePath(at index: Int, _ change: (inout CertificateFacts) -> Void) {
        guard facts.path.indices.contains(index) else { return }
        change(&facts.path[index])
        if facts.served.indices.contains(index) { facts.served[index] = facts.path[index] }
    }

    /// Makes the leaf self-signed and serves it alone.
    mutating func serveSelfSigned() {
        changeLeaf {
            $0.issuer = $0.subject
            $0.isSelfIssued = true
        }
        facts.path = Array(facts.path.prefix(1))
        facts.served = facts.path
        facts.anchor = .selfSignedLeaf
    }

    /// Serves the leaf alone, with an unknown issuer.
    mutating func serveWithoutIntermediate() {
        facts.path = Array(facts.path.prefix(1))
        facts.served = facts.path
        facts.anchor = .incomplete
    }

    /// 2026-09-21.
    private static let sampleNow: Int64 = 1_790_000_000

    private static let samplePath = [
        CertificateFacts.sample("api.example.com", issuer: "Example CA 1"),
        CertificateFacts.sample("Example CA 1", issuer: "Example Root"),
        CertificateFacts.sample("Example Root", issuer: "Example Root"),
    ]
}

extension OSProfile {
    /// For examples only: the first release with the system's own rules on RSA keys and SHA-1.
    static let iOS11 = OSProfile.named("ios11") ?? .iOS10
}

extension CertificateFacts {
    fileprivate static func sample(_ name: String, issuer: String) -> CertificateFacts {
        var certificate = CertificateFacts()
        certificate.subject = "CN=\(name)"
        certificate.issuer = "CN=\(issuer)"
        certificate.commonName = name
        certificate.setKey(.ec, 256)
        certificate.setHash("sha256", 256)
        certificate.notBefore = 1_780_000_000
        certificate.notAfter = 1_800_000_000
        certificate.isSelfIssued = name == issuer
        certificate.isCA = name != "api.example.com"
        if !certificate.isCA {
            certificate.dnsNames = [name]
            certificate.allowsServerAuth = true
        }
        certificate.spkiSHA256 = name
        return certificate
    }

    /// Sets the type and the size of the certificate's key.
    mutating func setKey(_ type: KeyType, _ bits: Int) {
        keyType = type
        keyBits = bits
    }

    /// Sets an RSA signature with that hash, named as in OpenSSL.
    mutating func setHash(_ name: String, _ bits: Int) {
        signature = "\(name)WithRSAEncryption"
        signatureHashBits = bits
    }
}

extension CipherSuite {
    static let exampleECDHE = CipherSuite(code: 0xC02F, name: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    static let exampleTLS13 = CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256")
    static let exampleRSA = CipherSuite(code: 0x002F, name: "TLS_RSA_WITH_AES_128_CBC_SHA")
    static let exampleTripleDES = CipherSuite(code: 0x000A, name: "TLS_RSA_WITH_3DES_EDE_CBC_SHA")
    static let exampleDHE = CipherSuite(code: 0x009E, name: "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256")
    static let exampleCBC = CipherSuite(code: 0xC027, name: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256")
}

import ATSPolicy
package import Records

/// Handshakes for records.
package enum HandshakeExamples {
    /// A handshake without nil or empty fields.
    package static let full: RecordedHandshake = {
        var leaf = CertificateFacts()
        leaf.subject = "CN=a.test"
        leaf.commonName = "a.test"
        leaf.signatureHashBits = 256
        leaf.unkeptNames = 7
        leaf.dnsNames = ["a.test", "*.a.test"]
        leaf.ipAddresses = ["192.0.2.1"]
        leaf.allowsServerAuth = true
        var facts = HandshakeFacts(
            version: .tls12, suite: CipherSuite(code: 0xC011, name: "TLS_ECDHE_RSA_WITH_RC4_128_SHA"), group: "X25519",
            alpn: "h2", served: [leaf], path: [leaf, leaf], anchor: .user, scts: SCTCounts(embedded: 1))
        facts.usesExtendedMasterSecret = true
        facts.signature = HandshakeSignature(.rsaPSS, hashBits: 256)
        facts.sctReview = SCTReview(counted: [], refused: [.unknownLog], listTime: 5)
        facts.staple = StapledAnswer(.revoked(at: 7, reason: 1), thisUpdate: 5, nextUpdate: 9)
        facts.clientCertificate = .asked
        facts.groupLeftOut = HelloShape.hybridGroupName
        facts.unkeptCertificates = 3
        facts.faults = [PathFault(.pathLength, at: 1)]
        facts.otherPaths = [CertificatePath([leaf, leaf, leaf], anchor: .system, faults: [])]
        return RecordedHandshake(
            facts: facts, failure: .notTLS([0x48, 0]),
            offer: TLSOffer(
                minimum: .tls12, maximum: .tls13, suites: OSProfile.iOS26.systemSuites, shape: .ios26))
    }()
}

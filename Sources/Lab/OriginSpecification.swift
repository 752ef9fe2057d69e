import ATSPolicy
import TLSEngine

/// The properties of an origin, before it has a port and certificates.
struct OriginSpecification: Sendable {
    /// The behaviour on its port.
    enum Behaviour: Sendable {
        /// HTTP without TLS.
        case cleartext
        case tls(Handshake)
        /// Ends the connection as soon as a ClientHello arrives.
        case closes
        /// Answers a ClientHello with plain HTTP.
        case garbage
        /// Answers a ClientHello with the greeting of another protocol.
        case noise
        /// Reads a ClientHello and sends nothing.
        case stalls
        /// Answers a ClientHello with a fatal alert.
        case alert(UInt8)

        var scheme: LoadTarget.Scheme {
            if case .cleartext = self { return .http }
            return .https
        }
    }

    /// TLS settings. The defaults have no flaw: they follow RFC 9325 section 4.2.
    struct Handshake: Sendable {
        var leaf = LeafPlan()
        var minimum = TLSVersion.tls12
        var maximum = TLSVersion.tls13
        /// For TLS 1.2 and older, in the format of openssl-ciphers(1).
        var cipherList = "ECDHE+AESGCM:ECDHE+CHACHA20"
        /// Suites of TLS 1.3.
        var modernSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
        /// In the format of SSL_CTX_set1_sigalgs_list(3); empty for all.
        var signatures = ""
        /// Supports RFC 7627.
        var extendsMasterSecret = true
        /// Rejects clients without a certificate.
        var requiresClientCertificate = false
    }

    var name: String
    var flaw: String
    var behaviour: Behaviour
    var outcomes = ExpectedOutcomes.always(.allowed)
    /// The outcome if an app requires a NIAP package and the release supports that key; nil for no difference.
    var underNIAP: ExpectedOutcome?
    var waiver: Waiver?
    /// The target of redirects from `/`.
    var redirect: String?
    /// Omitted if OpenSSL cannot make its keys: P-192 and P-224 are missing from some builds.
    var isOptional = false
}

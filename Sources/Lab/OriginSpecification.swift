import ATSPolicy
import TLSEngine

/// What an origin is to be, before it has a port and certificates.
struct OriginSpecification: Sendable {
    /// How it behaves on its port.
    enum Behaviour: Sendable {
        /// HTTP without TLS.
        case cleartext
        case tls(Handshake)
        /// Ends the connection as soon as a ClientHello arrives.
        case closes
        /// Answers a ClientHello with HTTP in the clear.
        case garbage
        /// Answers a ClientHello with the greeting of another protocol.
        case noise
        /// Takes a ClientHello and says nothing.
        case stalls
        /// Answers a ClientHello with a fatal alert.
        case alert(UInt8)

        var scheme: LoadTarget.Scheme {
            if case .cleartext = self { return .http }
            return .https
        }
    }

    /// Defaults are beyond reproach: what RFC 9325 section 4.2 recommends.
    struct Handshake: Sendable {
        var leaf = LeafPlan()
        var minimum = TLSVersion.tls12
        var maximum = TLSVersion.tls13
        /// As openssl-ciphers(1) writes it; for TLS 1.2 and below.
        var cipherList = "ECDHE+AESGCM:ECDHE+CHACHA20"
        /// Suites of TLS 1.3.
        var modernSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
        /// As SSL_CTX_set1_sigalgs_list(3) takes them; empty for all.
        var signatures = ""
        /// Knows RFC 7627.
        var extendsMasterSecret = true
        /// Turns down clients without a certificate.
        var insistsOnCertificate = false
    }

    var name: String
    var flaw: String
    var behaviour: Behaviour
    var outcomes = ExpectedOutcomes.always(.allowed)
    /// What becomes of it where an app demands a NIAP package and the system reads that key; nil for the same.
    var underNIAP: ExpectedOutcome?
    var waiver: Waiver?
    /// Where `/` redirects to.
    var redirect: String?
    /// Left out where OpenSSL cannot make its keys: P-192 and P-224 are missing from some builds.
    var isOptional = false
}

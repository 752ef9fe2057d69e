import ATSPolicy
import TLSEngine

/// What an origin is to be, before it has a port and certificates.
struct Blueprint: Sendable {
    /// How it behaves on its port.
    enum Manner: Sendable {
        /// HTTP without TLS.
        case cleartext
        case tls(Handshake)
        /// Ends the connection as soon as a ClientHello arrives.
        case closes
        /// Answers a ClientHello with HTTP in the clear.
        case garbage

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
    }

    /// How to make a leaf; the defaults make a good one.
    struct LeafPlan: Sendable {
        enum Naming: Sendable {
            case own
            /// In the subjectAltName and as common name.
            case other(String)
            /// No subjectAltName.
            case commonNameOnly
        }

        enum Issuer: Sendable {
            case intermediate
            /// The intermediate, which is not served.
            case hiddenIntermediate
            case itself
            /// A root that nobody trusts; it is served.
            case strangerRoot
        }

        var key = CertificateRecipe.Key.ec(curve: .p256)
        var digest = CertificateRecipe.Digest.sha256
        var naming = Naming.own
        var issuer = Issuer.intermediate
        /// Begin and end, in days from now. The default keeps below the 398 days of `ats-semantics.md` 5 `[D]`.
        var validDays: Range<Int64> = -1..<90
    }

    var name: String
    var flaw: String
    var manner: Manner
    var expectation = Expectation.allowed
    var waiver: Waiver?
}

/// What the gate should say about an origin under the secure defaults.
struct Expectation: Sendable {
    var verdict: String
    var rule: RuleID?
    var appleCode: Int?
    var streamErrorCode: Int?

    static let allowed = Expectation(verdict: "allowed")

    /// -1022 has no stream error, since nothing was connected. Source: `ats-semantics.md` 6.5, 6.7 `[O]`.
    static let cleartext = Expectation(verdict: "blocked", rule: .cleartextLoad, appleCode: -1022)

    /// -1200 with -9802, whatever is wrong with the chain. Source: `ats-semantics.md` 6.7, `[O]` for roots and dates,
    /// `[I]` for names, keys and hashes.
    static func chain(_ rule: RuleID) -> Expectation {
        Expectation(verdict: "blocked", rule: rule, appleCode: -1200, streamErrorCode: -9802)
    }

    /// An old server answers below the offer instead of sending alert 70; both become -9836. Source:
    /// `ats-semantics.md` 6.7, `[I]` for the answer, `[O]` for the alert.
    static let version = Expectation(verdict: "blocked", rule: .tlsVersion, appleCode: -1200, streamErrorCode: -9836)

    /// Alert 40 becomes -9858. Source: `ats-semantics.md` 6.3, 6.7 `[O]`; on iOS 26 `[I]`.
    static func suite(_ rule: RuleID) -> Expectation {
        Expectation(verdict: "blocked", rule: rule, appleCode: -1200, streamErrorCode: -9858)
    }

    /// Source: `ats-semantics.md` 6.3, 6.7 `[O]`.
    static let closed = Expectation(verdict: "failed", rule: .tlsClosed, appleCode: -1200, streamErrorCode: -9816)

    /// Source: `ats-semantics.md` 6.3, local conditions `[O]` (CFStream); for URLSession `[I]`.
    static let notTLS = Expectation(verdict: "failed", rule: .tlsNotTLS, appleCode: -1200, streamErrorCode: -9847)
}

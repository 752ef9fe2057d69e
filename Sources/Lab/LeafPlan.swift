import ATSPolicy
import TLSEngine

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
        /// An intermediate whose own certificate is signed with SHA-1.
        case sha1Intermediate
        /// An intermediate with an EC key of 224 bits.
        case smallIntermediate
        /// The intermediate, which is not served.
        case hiddenIntermediate
        case itself
        /// A root that nobody trusts; it is served.
        case strangerRoot
    }

    /// Signed certificate timestamps in the certificate.
    enum Timestamps: Sendable {
        /// Of approved logs, as many as a leaf of its lifetime needs.
        case enough
        /// So many of approved logs.
        case approved(Int)
        /// Of logs that nobody knows.
        case madeUp(Int)
        /// Of logs that were retired since.
        case retired
        /// In the names of approved logs, with other keys.
        case forged
    }

    /// How to make an OCSP response.
    struct StaplePlan: Sendable {
        var status = StapledAnswer.Status.good
        /// Begin and end, in days from now.
        var validDays: Range<Int64> = -1..<6
        /// Signed certificate timestamps in it.
        var timestamps = 0
    }

    var key = CertificateRecipe.Key.ec(curve: .p256)
    var digest = CertificateRecipe.Digest.sha256
    var naming = Naming.own
    var issuer = Issuer.intermediate
    /// Begin and end, in days from now. The default keeps below the 398 days of Apple support 103769;
    /// docs/law/trust.md#minted-leaf.
    var validDays: Range<Int64> = -1..<90
    /// nil leaves the extension out.
    var usages: [CertificateRecipe.ExtendedKeyUsage]? = [.serverAuth]
    var timestamps = Timestamps.enough
    /// Signed certificate timestamps in the TLS extension.
    var handshakeTimestamps = 0
    /// The OCSP response that is stapled.
    var staple: StaplePlan?
}

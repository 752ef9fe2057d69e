import ATSPolicy
import TLSEngine

/// The properties of a leaf to make; the defaults make a good one.
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
        /// The intermediate, without sending it.
        case hiddenIntermediate
        case itself
        /// An untrusted root, which is sent.
        case strangerRoot
    }

    /// Signed certificate timestamps in the certificate.
    enum Timestamps: Sendable {
        /// From approved logs, as many as a leaf of its lifetime needs.
        case enough
        /// This many from approved logs.
        case approved(Int)
        /// From logs that do not exist.
        case madeUp(Int)
        /// From logs that have retired.
        case retired
        /// With the ids of approved logs, but signed with other keys.
        case forged
    }

    /// The properties of an OCSP response to make.
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
    /// Begin and end, in days from now. The default is below the 398 days of Apple support 103769;
    /// docs/law/trust.md#minted-leaf.
    var validDays: Range<Int64> = -1..<90
    /// nil omits the extension.
    var usages: [CertificateRecipe.ExtendedKeyUsage]? = [.serverAuth]
    var timestamps = Timestamps.enough
    /// Signed certificate timestamps in the TLS extension.
    var handshakeTimestamps = 0
    /// The OCSP response to staple.
    var staple: StaplePlan?
}

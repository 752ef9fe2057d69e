import TLSEngine
import Text

/// The proofs that an origin sends with its certificates.
struct LabEvidence {
    /// An OCSP response about the leaf.
    var staple: [UInt8]?
    /// Signed certificate timestamps for the TLS extension.
    var timestamps: [[UInt8]] = []

    init() {}

    init(
        _ plan: LeafPlan, for leaf: Certificate, by issuer: SigningIdentity, _ logs: LabLogs,
        now: Int64
    ) throws(CertificateError) {
        timestamps = try logs.timestamps(plan.handshakeTimestamps, on: leaf)
        guard let wanted = plan.staple else { return }
        var recipe = StapleRecipe(
            wanted.status, thisUpdate: now + wanted.validDays.lowerBound * Day.seconds,
            nextUpdate: now + wanted.validDays.upperBound * Day.seconds)
        recipe.timestamps = try logs.timestamps(wanted.timestamps, on: leaf)
        staple = try recipe.issued(for: leaf, by: issuer)
    }

}

import TLSEngine

/// The certificates that all origins share, and the bakery for their leaves. Nothing is kept on disk.
struct LabCertificates {
    let root: SigningIdentity
    private let intermediate: SigningIdentity
    private let strangerRoot: SigningIdentity
    private let now: Int64

    /// - Parameter now: seconds since 1970-01-01 UTC.
    init(now: Int64) throws(CertificateError) {
        self.now = now
        root = try Self.authority("atsgate lab root", now: now, issuer: nil)
        intermediate = try Self.authority("atsgate lab intermediate", now: now, issuer: root)
        strangerRoot = try Self.authority("atsgate lab stranger root", now: now, issuer: nil)
    }

    /// A leaf for `host`, and what is served behind it.
    func leaf(
        for host: String, _ plan: Blueprint.LeafPlan
    ) throws(CertificateError) -> (leaf: SigningIdentity, intermediates: [Certificate]) {
        let name = if case .other(let other) = plan.naming { other } else { host }
        let hasSAN = if case .commonNameOnly = plan.naming { false } else { true }
        let recipe = CertificateRecipe(
            commonName: name, dnsNames: [name], key: plan.key, digest: plan.digest,
            notBefore: now + plan.validDays.lowerBound * Self.day,
            notAfter: now + plan.validDays.upperBound * Self.day, extendedKeyUsages: [.serverAuth],
            includeSAN: hasSAN)
        return switch plan.issuer {
        case .intermediate: (try recipe.issued(by: intermediate), [intermediate.certificate])
        case .hiddenIntermediate: (try recipe.issued(by: intermediate), [])
        case .itself: (try recipe.issued(by: nil), [])
        case .strangerRoot: (try recipe.issued(by: strangerRoot), [strangerRoot.certificate])
        }
    }

    private static func authority(
        _ name: String, now: Int64, issuer: SigningIdentity?
    ) throws(CertificateError) -> SigningIdentity {
        try CertificateRecipe(
            commonName: name, notBefore: now - authorityDays * day, notAfter: now + authorityDays * day, isCA: true,
            pathLength: issuer == nil ? nil : 0
        ).issued(by: issuer)
    }

    /// Seconds.
    private static let day: Int64 = 86_400
    /// Both ways from now, so that a leaf of the past was issued by an authority of its time.
    private static let authorityDays: Int64 = 365
}

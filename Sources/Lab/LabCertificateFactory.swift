import TLSEngine
import Text

/// The certificates of one origin.
struct LabChain {
    let leaf: SigningIdentity
    /// Sent after the leaf.
    let served: [Certificate]
    /// Every issuer, the root last, sent or not.
    let authorities: [Certificate]
    /// The proofs sent with the certificates.
    var evidence = LabEvidence()
}

/// Issues the leaves of all origins, from shared authorities. Keeps nothing on disk.
struct LabCertificateFactory {
    let root: SigningIdentity
    let logs: LabLogs
    private let intermediate: SigningIdentity
    private let strangerRoot: SigningIdentity
    private let now: Int64
    /// One identity per RSA key size, whose key all leaves share: generating a key takes longer than everything else.
    private var rsaLeaves: [CertificateRecipe.Key: SigningIdentity] = [:]

    /// - Parameter now: seconds since 1970-01-01 UTC.
    init(now: Int64) throws(CertificateError) {
        self.now = now
        logs = try LabLogs(now: now)
        root = try Self.authority("atsgate lab root", now: now).issued(by: nil)
        intermediate = try Self.authority("atsgate lab intermediate", now: now, pathLength: 0).issued(by: root)
        strangerRoot = try Self.authority("atsgate lab stranger root", now: now).issued(by: nil)
    }

    /// Issues a leaf for `host`, and returns it with its issuers.
    mutating func chain(for host: String, _ plan: LeafPlan) throws(CertificateError) -> LabChain {
        let recipe = try recipe(for: host, plan)
        switch plan.issuer {
        case .intermediate:
            var chain = try chain(recipe, by: intermediate)
            chain.evidence = try LabEvidence(plan, for: chain.leaf.certificate, by: intermediate, logs, now: now)
            return chain
        case .sha1Intermediate:
            var authority = Self.authority("atsgate lab SHA-1 intermediate", now: now, pathLength: 0)
            authority.digest = .sha1
            return try chain(recipe, by: try authority.issued(by: root))
        case .smallIntermediate:
            var authority = Self.authority("atsgate lab small intermediate", now: now, pathLength: 0)
            authority.key = .ec(curve: .p224)
            return try chain(recipe, by: try authority.issued(by: root))
        case .hiddenIntermediate:
            let whole = try chain(recipe, by: intermediate)
            return LabChain(leaf: whole.leaf, served: [], authorities: whole.authorities)
        case .itself:
            return LabChain(leaf: try issue(recipe, by: nil), served: [], authorities: [])
        case .strangerRoot:
            let authorities = [strangerRoot.certificate]
            return LabChain(
                leaf: try issue(recipe, by: strangerRoot), served: authorities, authorities: authorities)
        }
    }

    private func recipe(
        for host: String, _ plan: LeafPlan
    ) throws(CertificateError) -> CertificateRecipe {
        let name = if case .other(let other) = plan.naming { other } else { host }
        let hasSAN = if case .commonNameOnly = plan.naming { false } else { true }
        var recipe = CertificateRecipe(
            commonName: name, dnsNames: [name], key: plan.key,
            notBefore: now + plan.validDays.lowerBound * Day.seconds,
            notAfter: now + plan.validDays.upperBound * Day.seconds, extendedKeyUsages: plan.usages)
        recipe.digest = plan.digest
        recipe.includeSAN = hasSAN
        try logs.apply(plan.timestamps, to: &recipe)
        return recipe
    }

    private mutating func chain(
        _ recipe: CertificateRecipe, by issuer: SigningIdentity
    ) throws(CertificateError) -> LabChain {
        LabChain(
            leaf: try issue(recipe, by: issuer), served: [issuer.certificate],
            authorities: [issuer.certificate, root.certificate])
    }

    private mutating func issue(
        _ recipe: CertificateRecipe, by issuer: SigningIdentity?
    ) throws(CertificateError) -> SigningIdentity {
        guard case .rsa = recipe.key else { return try recipe.issued(by: issuer) }
        if let other = rsaLeaves[recipe.key] { return try recipe.issued(by: issuer, sharingKeyOf: other) }
        let leaf = try recipe.issued(by: issuer)
        rsaLeaves[recipe.key] = leaf
        return leaf
    }

    private static func authority(_ name: String, now: Int64, pathLength: Int? = nil) -> CertificateRecipe {
        CertificateRecipe(
            commonName: name, notBefore: now - authorityDays * Day.seconds, notAfter: now + authorityDays * Day.seconds,
            isCA: true
        ).with { $0.pathLength = pathLength }
    }

    /// Days before and after now, so that an expired leaf and the longest leaf both have a valid authority.
    private static let authorityDays: Int64 = 1_000
}

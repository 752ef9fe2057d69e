import ATSPolicy
import Bytes
import TLSEngine
import Text

/// Makes leaves with the origin's own flaw, signed by the CA that clients trust. So an app sees the same error as for
/// the origin. One per event loop.
final class MirrorMint {
    private struct Key: Hashable {
        let rule: RuleID
        let host: String
        let origin: String
        /// The current day, because invented dates depend on it.
        let day: Int64
    }

    private let authority: CertificateAuthority
    private let refusals: RefusalMint
    private var leaves = WeighedCache<Key, Leaf>(.leaves, limit: 4 << 20, count: 256)

    /// - Parameter refusals: for origins whose flaw is an untrusted issuer.
    init(authority: CertificateAuthority, refusals: RefusalMint) {
        self.authority = authority
        self.refusals = refusals
    }

    /// Returns a leaf that a client rejects for the rule that the origin broke. nil if no leaf can show that: the flaw
    /// is not in the leaf, or our TLS library cannot serve it.
    ///
    /// - Parameter now: seconds since 1970-01-01 UTC.
    func leaf(for rule: RuleID, host: String, origin: CertificateFacts, now: Int64) -> Leaf? {
        guard let flaw = rule.mirrored else { return nil }
        if flaw == .untrustedIssuer { return try? refusals.leaf(for: rule, host: host, now: now) }
        let key = Key(rule: rule, host: host, origin: origin.sha256, day: now / Day.seconds)
        if let known = leaves.value(for: key) { return known }
        guard let recipe = recipe(with: flaw, host: host, origin: origin, now: now),
            let made = try? flaw == .selfSigned ? Leaf(identity: recipe.issued(by: nil)) : authority.leaf(recipe)
        else { return nil }
        leaves.keep(made, for: key, bytes: host.utf8.count * 2 + origin.bytes + Leaf.bytes)
        return made
    }

    private func recipe(
        with flaw: MirroredFlaw, host: String, origin: CertificateFacts, now: Int64
    ) -> CertificateRecipe? {
        var recipe = CertificateRecipe.sound(for: host, now: now)
        switch flaw {
        case .selfSigned, .untrustedIssuer: break
        case .expired:
            let isLeafs = origin.notAfter < now
            recipe.notBefore = isLeafs ? origin.notBefore : now - 90 * Day.seconds
            recipe.notAfter = isLeafs ? origin.notAfter : now - Day.seconds
        case .notYetValid:
            let isLeafs = origin.notBefore > now
            recipe.notBefore = isLeafs ? origin.notBefore : now + Day.seconds
            recipe.notAfter = isLeafs ? origin.notAfter : now + 90 * Day.seconds
        case .validityPeriod:
            recipe.notBefore = origin.notBefore
            recipe.notAfter = origin.notAfter
        case .hostName:
            recipe.commonName = origin.commonName.flatMap { $0.unicodeScalars.count <= 64 ? $0 : nil }
            recipe.dnsNames = origin.dnsNames
            recipe.ipAddresses = origin.ipAddresses
        case .noSubjectAltName: recipe.includeSAN = false
        case .clientAuthOnly: recipe.extendedKeyUsages = [.clientAuth]
        case .weakKey:
            // Making a key of the origin's exact length would block this loop for up to a second. Current clients
            // accept no EC certificate on a curve below 256 bits, so none can be served.
            guard origin.keyType == .rsa, origin.keyBits < 2_048 else { return nil }
            recipe.key = .rsa(bits: 1_024)
        case .weakHash:
            guard let digest = CertificateRecipe.Digest(weakBits: origin.signatureHashBits) else { return nil }
            recipe.digest = digest
        }
        return recipe
    }
}

extension CertificateRecipe {
    /// A certificate without defects for a client that trusts its issuer.
    fileprivate static func sound(for host: String, now: Int64) -> CertificateRecipe {
        let names = CertificateRecipe.names(of: host)
        return CertificateRecipe(
            // The limit of a common name: RFC 5280 appendix A.1, ub-common-name.
            commonName: host.unicodeScalars.count <= 64 ? host : nil,
            dnsNames: names.dns, ipAddresses: names.ip,
            notBefore: now - Day.seconds, notAfter: now + 90 * Day.seconds, extendedKeyUsages: [.serverAuth])
    }
}

extension CertificateRecipe.Digest {
    /// The hash with this number of bits, if below 256; nil for any other.
    fileprivate init?(weakBits bits: Int?) {
        switch bits {
        case 128: self = .md5
        case 160: self = .sha1
        case 224: self = .sha224
        default: return nil
        }
    }
}

/// Makes leaves that every client rejects, because no client trusts their issuer. The issuer's name contains the rule
/// that blocked the load, so that a client's view of the certificate shows it. One per event loop.
///
/// The issuers of all rules share one key; leaves are cached.
final class RefusalMint {
    private let authority: CertificateAuthority
    private var mints: [RuleID?: LeafMint] = [:]

    /// - Parameter authority: signs the leaves; no client trusts it.
    init(authority: CertificateAuthority) {
        self.authority = authority
    }

    /// - Parameters:
    ///   - rule: the deciding rule for the issuer's name; nil for a name without a rule.
    ///   - now: seconds since 1970-01-01 UTC.
    func leaf(for rule: RuleID?, host: String, now: Int64) throws(CertificateError) -> Leaf {
        if let mint = mints[rule] { return try mint.leaf(for: host, now: now) }
        let issuer = try rule.map { rule throws(CertificateError) in
            try authority.renamed("atsgate refused: \(rule.rawValue)", now: now)
        }
        let mint = LeafMint(authority: issuer ?? authority, capacity: Self.capacity)
        mints[rule] = mint
        return try mint.leaf(for: host, now: now)
    }

    /// The number of leaves for each rule.
    private static let capacity = 256
}

import ATSPolicy
import TLSEngine

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

import ATSPolicy
import TLSEngine

/// Makes leaves that every client refuses. Nobody trusts their issuer, and its name says which rule refused the load,
/// so that it can be read wherever a client shows the certificate. One per event loop.
///
/// The issuers of all rules share one key; leaves are kept like any others.
final class RefusalMint {
    private let authority: CertificateAuthority
    private var mints: [RuleID?: LeafMint] = [:]

    /// - Parameter authority: its key signs; nobody trusts it.
    init(authority: CertificateAuthority) {
        self.authority = authority
    }

    /// - Parameters:
    ///   - rule: the deciding one; nil leaves the issuer without it.
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

    /// Leaves of each rule.
    private static let capacity = 256
}

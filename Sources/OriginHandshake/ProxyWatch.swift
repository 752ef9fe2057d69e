public import ATSPolicy
import Bytes
import Synchronization

/// Recognizes proxies that decrypt connections after the gate. Shared by all loops, and kept only while the gate runs.
///
/// A CA that is not in the table of known tools is recognized if it signed for unrelated owners, because a public CA is
/// the only other party that does: four of them, or three whose certificates share one key, as proxies make them.
/// Names of one owner under several public suffixes count once, and internal names do not count, so that a company's
/// own CA is not mistaken for a proxy. Inferred: no document sets a number.
public final class ProxyWatch: Sendable {
    /// The certificates that one CA signed.
    private struct Issued {
        var domains: [OwnerDomain] = []
        /// The keys of these certificates, each once.
        var keys: Set<String> = []

        var isProxy: Bool {
            domains.count >= ProxyWatch.manyOwners || (domains.count >= ProxyWatch.severalOwners && keys.count == 1)
        }

        var bytes: Int { (domains.map(\.domain) + keys).reduce(128) { $0 + $1.utf8.count + 32 } }

        mutating func add(_ domain: OwnerDomain, key: String) {
            guard domains.count < ProxyWatch.manyOwners, !domains.contains(where: { $0.owner == domain.owner }) else {
                return
            }
            domains.append(domain)
            keys.insert(key)
        }
    }

    private let issuers = Mutex(
        WeighedCache<String, Issued>(.issuers, limit: ProxyWatch.byteLimit, count: ProxyWatch.issuerLimit))

    public init() {}

    /// The proxy that answered a handshake; nil if the origin did.
    public func proxy(
        in facts: HandshakeFacts, of host: String, _ handling: DecryptedOrigins
    ) -> DecryptingProxy? {
        guard handling != .judge else { return nil }
        let path = facts.path.isEmpty ? facts.served : facts.path
        if let known = DecryptingProxy.named(in: path) { return known }
        guard handling == .infer, Self.mayBePrivate(facts.anchor), let leaf = path.first else { return nil }
        guard let domain = OwnerDomain(of: host) else { return nil }
        let issuer = path.dropFirst().first
        // Without the issuer's certificate its name identifies it.
        let key = issuer?.spkiSHA256 ?? leaf.issuer
        let issued = issuers.withLock { issuers in
            var issued = issuers.value(for: key) ?? Issued()
            issued.add(domain, key: leaf.spkiSHA256)
            issuers.keep(issued, for: key, bytes: key.utf8.count + issued.bytes)
            return issued
        }
        guard issued.isProxy else { return nil }
        return DecryptingProxy(authority: Self.name(of: leaf), owners: issued.domains.map(\.domain))
    }

    private static func name(of leaf: CertificateFacts) -> String { leaf.issuerCommonName ?? leaf.issuer }

    /// False for a root of the system's store, which is public, and for certificates without an issuer.
    private static func mayBePrivate(_ anchor: TrustAnchor) -> Bool {
        switch anchor {
        case .user, .unknownRoot, .incomplete: true
        case .system, .selfSignedLeaf, .broken: false
        }
    }

    private static let manyOwners = 4
    private static let severalOwners = 3
    private static let issuerLimit = 256
    private static let byteLimit = 256 << 10
}

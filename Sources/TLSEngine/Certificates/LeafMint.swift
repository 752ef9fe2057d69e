import Bytes
import Text

/// Issues leaves for any host and caches them. One per event loop.
///
/// Each leaf satisfies ATS without an exception: P-256, SHA-256, SAN, serverAuth, well under 825 days (documented;
/// docs/law/trust.md#ats-minimums, docs/law/trust.md#minted-leaf). Most browsers require 200 days or less (CA/Browser
/// Forum ballot SC-081).
public final class LeafMint {
    private struct Entry {
        var leaf: Leaf
        var renewal: Int64
        var lastUse: Int
    }

    private let authority: CertificateAuthority
    private let authorityEnd: Int64
    private let authorityDigest: [UInt8]
    private let capacity: Int
    private var entries: [String: Entry] = [:]
    private var uses = 0
    /// Counts only: `capacity` is the limit, because entries differ only by their names' lengths.
    private let budget = ByteBudget(.leaves, limit: .max)

    /// - Parameter capacity: leaves kept; the least recently used is dropped first.
    public init(authority: CertificateAuthority, capacity: Int = 1_024) {
        self.authority = authority
        authorityEnd = authority.notAfter
        authorityDigest = sha256(authority.certificateDER)
        self.capacity = max(1, capacity)
    }

    /// Returns a leaf for a host name or an IP literal, from the cache if possible.
    ///
    /// - Parameter now: seconds since 1970-01-01 UTC.
    /// - Throws: ``CertificateError/host(_:)`` for an empty or overlong host.
    public func leaf(for host: String, now: Int64) throws(CertificateError) -> Leaf {
        let name = HostGrammar.normalized(host)
        uses += 1
        if let entry = entries[name], now < entry.renewal {
            entries[name]?.lastUse = uses
            return entry.leaf
        }
        let end = min(now + Self.lifetime, authorityEnd)
        let leaf = try mint(name, from: now - Self.backdating, to: end)
        if entries[name] == nil {
            if entries.count >= capacity { dropOldest() }
            budget.add(Leaf.bytes + name.utf8.count)
        }
        entries[name] = Entry(leaf: leaf, renewal: end - Self.renewalMargin, lastUse: uses)
        return leaf
    }

    private func mint(_ name: String, from start: Int64, to end: Int64) throws(CertificateError) -> Leaf {
        guard (1...Self.longestHost).contains(name.utf8.count) else { throw .host(name) }
        let names = CertificateRecipe.names(of: name)
        let recipe = CertificateRecipe(
            // 64 characters is the limit of a common name (RFC 5280 appendix A.1, ub-common-name).
            commonName: name.unicodeScalars.count <= 64 ? name : nil,
            dnsNames: names.dns, ipAddresses: names.ip,
            notBefore: start, notAfter: end, extendedKeyUsages: [.serverAuth])
        let identity = try recipe.issued(by: authority.identity)
        return Leaf(identity: identity, issuer: authorityDigest, host: name)
    }

    private func dropOldest() {
        guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        entries[oldest.key] = nil
        budget.add(-(Leaf.bytes + oldest.key.utf8.count))
    }

    /// Seconds. With the backdating, 91 days.
    private static let lifetime: Int64 = 90 * Day.seconds
    /// For clients whose clocks are slow, in seconds.
    private static let backdating: Int64 = Day.seconds
    /// A leaf is replaced this many seconds before it expires.
    private static let renewalMargin: Int64 = 7 * Day.seconds
    private static let longestHost = 255
}

extension CertificateRecipe {
    /// The names of a leaf for a host. For an odd spelling of an address (`127.1`), some clients look for the address
    /// and others for the text.
    public static func names(of host: String) -> (dns: [String], ip: [String]) {
        guard let address = IPAddress(host: host) else { return ([host], []) }
        return (IPAddress(host) == nil ? [host] : [], [address.description])
    }
}

import Text

/// The input of every rule: the facts of a handshake, and the ATS rules and release to judge it by.
public struct HandshakeCase: Sendable {
    public var facts: HandshakeFacts
    /// Host of the URL; an IPv6 address has no brackets.
    public var host: String
    public var demands: TLSDemands?
    public var profile: OSProfile
    /// Seconds since 1970-01-01 UTC.
    public var now: Int64
    public var basis: RulingBasis
    public var transparency: TransparencyCheck

    public init(
        facts: HandshakeFacts, host: String, demands: TLSDemands?, profile: OSProfile, now: Int64, basis: RulingBasis
    ) {
        self.facts = facts
        self.host = host
        self.demands = demands
        self.profile = profile
        self.now = now
        self.basis = basis
        transparency = TransparencyCheck(by: facts.sctReview, at: now)
        if !facts.otherPaths.isEmpty { choosePath() }
    }
}

/// How reliably signed certificate timestamps are counted. Source: Apple support 103214;
/// docs/law/transparency.md#counting, docs/law/transparency.md#list-of-logs.
public enum TransparencyCheck: Sendable, Hashable {
    /// No log list is loaded, or it is too old to decide which timestamps count. Too few timestamps cause a warning.
    case counted
    /// ``HandshakeFacts/scts`` counts only timestamps of approved logs whose signatures verify. Too few of them block.
    case verified

    /// A system stops requiring timestamps once its log list is 60 days old (source;
    /// docs/law/transparency.md#system-rule), so an old list does not decide here either.
    public init(by review: SCTReview?, at now: Int64) {
        guard let review else {
            self = .counted
            return
        }
        let (age, overflow) = now.subtractingReportingOverflow(review.listTime ?? now)
        self = overflow || age >= Self.listLifeSeconds ? .counted : .verified
    }

    /// 60 days.
    private static let listLifeSeconds: Int64 = 60 * Day.seconds
}

extension HandshakeCase {
    /// nil if no certificate was seen.
    var leaf: CertificateFacts? { facts.path.first ?? facts.served.first }

    /// The evaluated path without its anchor. A root that ends the path counts as its anchor even if it is not trusted:
    /// minimums do not apply to roots. Source: Apple support 103769; Security, SecPolicy.c;
    /// docs/law/transparency.md#system-rule, docs/law/trust.md#certificate-scope.
    var certificatesBelowAnchor: ArraySlice<CertificateFacts> {
        switch facts.anchor {
        case .system, .user: return facts.path.dropLast()
        case .unknownRoot: return facts.path.last?.isSelfIssued == true ? facts.path.dropLast() : facts.path[...]
        case .selfSignedLeaf, .incomplete, .broken: return facts.path.isEmpty ? facts.served[...] : facts.path[...]
        }
    }

    /// The evaluated path with its anchor; without a path, the served certificates.
    var wholePath: ArraySlice<CertificateFacts> { facts.path.isEmpty ? facts.served[...] : facts.path[...] }

    /// The certificates that must meet ATS's own minimums, if it has any (C5).
    var certificatesUnderATS: ArraySlice<CertificateFacts> {
        demands?.checksLeafOnly == true ? certificatesBelowAnchor.prefix(1) : certificatesBelowAnchor
    }

    /// The certificates to which only the system's own minimums apply.
    ///
    /// - Parameter isWaived: ATS has no such minimum here (C4).
    /// - Returns: nil if ATS has the same minimum for all of them.
    func certificatesUnderSystem(isWaived: Bool = false) -> ArraySlice<CertificateFacts>? {
        guard let demands, demands.certificateFloor, !isWaived else { return certificatesBelowAnchor }
        return demands.checksLeafOnly ? certificatesBelowAnchor.dropFirst() : nil
    }

    /// True if the dictionary requires a version that the release does not support, so that a device offers nothing.
    /// Source: GitHub, OWASP/mastg issue 1121; docs/law/tls.md#versions.
    var requiresUnknownVersion: Bool { demands?.minimumTLS ?? .tls10 > profile.newestTLS }

    /// True if the leaf itself was installed as trusted, or is in the system's root store.
    var isLeafAnchored: Bool {
        switch facts.anchor {
        case .system, .user: facts.path.count == 1
        case .selfSignedLeaf, .unknownRoot, .incomplete, .broken: false
        }
    }

    /// Returns the name that findings use for a certificate of the path.
    func title(of position: Int, _ certificate: CertificateFacts) -> String {
        position == 0 ? "leaf \(certificate.quotedName)" : "certificate \(position) \(certificate.quotedName)"
    }

    /// Returns the path of a key in the entry that matches this host, or in a new entry for it.
    func keyPath(_ key: String) -> String {
        ExceptionPath.keyPath(key, host: host, basis: basis)
    }
}

/// The place of a host's keys in a dictionary.
enum ExceptionPath {
    /// True if a release looks up an entry for that host (documented; docs/law/addresses.md#by-release,
    /// docs/law/addresses.md#address-keys).
    static func exists(for host: String, on profile: OSProfile) -> Bool {
        profile.keys.contains(.addresses) || IPAddress(host: host) == nil
    }

    /// Returns the entry that already matches the host, or a new one for exactly this host. An address gets its
    /// canonical spelling. A built-in entry is not reused: an entry of the app with the same key would replace all of
    /// it (source; docs/law/keys.md#built-in-exceptions).
    static func domain(host: String, basis: RulingBasis) -> String {
        guard let entry = basis.entry, !basis.isBuiltIn else { return IPAddress(host: host)?.description ?? host }
        return entry
    }

    /// Full path from `NSAppTransportSecurity`.
    static func keyPath(_ key: String, host: String, basis: RulingBasis) -> String {
        "\(ATSKey.root).\(ATSKey.exceptionDomains).\(domain(host: host, basis: basis)).\(key)"
    }
}

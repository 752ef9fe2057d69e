import Text

/// Everything that the rules look at: what a handshake showed, and which law it is held against.
public struct HandshakeCase: Sendable {
    public var facts: HandshakeFacts
    /// Host text of the URL, an IPv6 address without brackets.
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
    }
}

/// What can be said about signed certificate timestamps. Source: Apple support 103214;
/// docs/law/transparency.md#counting, docs/law/transparency.md#list-of-logs.
public enum TransparencyCheck: Sendable, Hashable {
    /// No log list is loaded, or only an old one, so nobody knows which timestamps count: too few are warned about.
    case counted
    /// ``HandshakeFacts/scts`` counts only timestamps of approved logs whose signatures verify: too few of them block.
    case verified

    /// A system stops asking for timestamps once its list is 60 days old (source;
    /// docs/law/transparency.md#system-rule), so an old one decides nothing here either.
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
    /// nil where no certificate was seen.
    var leaf: CertificateFacts? { facts.path.first ?? facts.served.first }

    /// The evaluated path without its anchor. A root that ends the path counts as its anchor even where nobody trusts
    /// it: minimums and dates are not asked of roots. Source: Apple support 103769; Security, SecPolicy.c;
    /// docs/law/transparency.md#system-rule, docs/law/trust.md#certificate-scope.
    var certificatesBelowAnchor: ArraySlice<CertificateFacts> {
        switch facts.anchor {
        case .system, .user: return facts.path.dropLast()
        case .unknownRoot: return facts.path.last?.isSelfIssued == true ? facts.path.dropLast() : facts.path[...]
        case .selfSignedLeaf, .incomplete, .broken: return facts.path.isEmpty ? facts.served[...] : facts.path[...]
        }
    }

    /// Those of them that have to meet ATS's own minimums, where it has any (C5).
    var certificatesUnderATS: ArraySlice<CertificateFacts> {
        demands?.checksLeafOnly == true ? certificatesBelowAnchor.prefix(1) : certificatesBelowAnchor
    }

    /// Those that are left to the system's own minimums.
    ///
    /// - Parameter isWaived: ATS asks nothing of that kind here (C4).
    /// - Returns: nil where ATS asks the same of all of them.
    func certificatesUnderSystem(isWaived: Bool = false) -> ArraySlice<CertificateFacts>? {
        guard let demands, demands.certificateFloor, !isWaived else { return certificatesBelowAnchor }
        return demands.checksLeafOnly ? certificatesBelowAnchor.dropFirst() : nil
    }

    /// The leaf itself was installed as trusted, or stands in the system's bundle: nothing is below the anchor.
    var isLeafAnchored: Bool {
        switch facts.anchor {
        case .system, .user: facts.path.count == 1
        case .selfSignedLeaf, .unknownRoot, .incomplete, .broken: false
        }
    }

    /// How the certificate at a position of the path is called in findings.
    func title(of position: Int, _ certificate: CertificateFacts) -> String {
        position == 0 ? "leaf \(certificate.quotedName)" : "certificate \(position) \(certificate.quotedName)"
    }

    /// Path of a key in the entry that serves, or would have to serve, this host.
    func keyPath(_ key: String) -> String {
        ExceptionPath.keyPath(key, host: host, basis: basis)
    }
}

/// Where a key for a host belongs in a declaration.
enum ExceptionPath {
    /// Whether a system looks for an entry for that host at all (documented; docs/law/addresses.md#by-release,
    /// docs/law/addresses.md#address-keys).
    static func exists(for host: String, on profile: OSProfile) -> Bool {
        profile.keys.contains(.addresses) || IPAddress(host: host) == nil
    }

    /// The entry that serves the host already, else a new one for exactly this host, an address in its plain spelling.
    /// A built-in entry is left alone, because an entry of the app with the same key would replace it as a whole
    /// (source; docs/law/keys.md#built-in-exceptions).
    static func domain(host: String, basis: RulingBasis) -> String {
        guard let entry = basis.entry, !basis.isBuiltIn else { return IPAddress(host: host)?.description ?? host }
        return entry
    }

    /// Full path from `NSAppTransportSecurity`.
    static func keyPath(_ key: String, host: String, basis: RulingBasis) -> String {
        "\(ATSKey.root).\(ATSKey.exceptionDomains).\(domain(host: host, basis: basis)).\(key)"
    }
}

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

/// The choice among several paths, as in Apple's path builder: the first path that breaks no rule, else the one with the
/// highest score. Source: Security, SecTrustServer.c, SecPathBuilderAccept and SecPathBuilderReject;
/// SecCertificateServer.c, SecCertificatePathVCScore; docs/law/trust.md#several-paths.
extension HandshakeCase {
    /// Puts the path that a device uses into the facts, and the one that was there into the other paths.
    mutating func choosePath() {
        let all = [CertificatePath(facts.path, anchor: facts.anchor, faults: facts.faults)] + facts.otherPaths
        var trial = self
        trial.facts.otherPaths = []
        let scores = all.map { path -> Int in
            trial.take(path)
            let isAccepted = !RuleBook.standard.findings(on: trial).contains { $0.rule.isAboutCertificate }
            return trial.score + (isAccepted ? Self.acceptance : 0)
        }
        // The first of the best: later paths replace it only with a higher score.
        guard let best = scores.max(), let place = scores.firstIndex(of: best), place > 0 else { return }
        take(all[place])
        facts.otherPaths = all.indices.filter { $0 != place }.map { all[$0] }
    }

    private mutating func take(_ path: CertificatePath) {
        facts.path = path.certificates
        facts.anchor = path.anchor
        facts.faults = path.faults
    }

    /// The published numbers. An anchor that the emulated release lacks does not count.
    private var score: Int {
        let path = facts.path
        var score = 0
        let isKnown = Rule.unknownRoot.answer(on: self).outcome != .fail
        let isAnchored = (facts.anchor == .system || facts.anchor == .user) && isKnown
        if isAnchored { score += 10_000 }
        score += path.last?.isSelfIssued == true ? 1_000 - path.count : path.count
        if path.allSatisfy({ $0.notBefore <= now && now <= $0.notAfter }) { score += 100 }
        if !path.dropLast(isAnchored ? 1 : 0).contains(where: { ($0.signatureHashBits ?? 256) <= 160 }) { score += 10 }
        if path.allSatisfy({ !$0.isBelow(rsa: 2_048, ec: 224) }) { score += 10 }
        return score
    }

    /// Points for a path that every rule accepts: ACCEPT_PATH_SCORE.
    private static let acceptance = 10_000_000
}

extension CertificateFacts {
    /// True if the key is shorter than these bits, or of a type without a minimum.
    func isBelow(rsa: Int, ec: Int) -> Bool {
        switch keyType {
        case .rsa: keyBits < rsa
        case .ec: keyBits < ec
        case .dsa: true
        // Edwards keys: docs/law/trust.md#key-size. A type that the engine cannot name is not called weak.
        case .ed25519, .ed448, .other: false
        }
    }
}

extension RuleID {
    /// True for a rule on certificates, which another path may meet.
    var isAboutCertificate: Bool {
        switch consequence?.breach {
        case .certificate, .identity: true
        case .handshake, nil: false
        }
    }
}

/// The handshake from which the rules' examples are made.
extension HandshakeCase {
    /// Breaks no rule: TLS 1.2 with ECDHE, a public chain of three certificates, the secure defaults of iOS 26.
    static let sample = HandshakeCase(
        facts: HandshakeFacts(
            version: .tls12, suite: .exampleECDHE, group: "X25519", alpn: "h2", served: Array(samplePath.prefix(2)),
            path: samplePath, anchor: .system, scts: SCTCounts(embedded: 3)),
        host: "api.example.com",
        demands: TLSDemands(
            minimumTLS: .tls12, forwardSecrecy: true, strictTrust: true, certificateFloor: true,
            suites: OSProfile.iOS26.atsSuites),
        profile: .iOS26,
        now: sampleNow, basis: RulingBasis(step: .secureDefault))

    /// Changes the leaf, in the path and in the served chain.
    mutating func changeLeaf(_ change: (inout CertificateFacts) -> Void) {
        changePath(at: 0, change)
    }

    /// Changes a certificate of the path, and the served one at the same position.
    mutating func changePath(at index: Int, _ change: (inout CertificateFacts) -> Void) {
        guard facts.path.indices.contains(index) else { return }
        change(&facts.path[index])
        if facts.served.indices.contains(index) { facts.served[index] = facts.path[index] }
    }

    /// Makes the leaf self-signed and serves it alone.
    mutating func serveSelfSigned() {
        changeLeaf {
            $0.issuer = $0.subject
            $0.isSelfIssued = true
        }
        facts.path = Array(facts.path.prefix(1))
        facts.served = facts.path
        facts.anchor = .selfSignedLeaf
    }

    /// Serves the leaf alone, with an unknown issuer.
    mutating func serveWithoutIntermediate() {
        facts.path = Array(facts.path.prefix(1))
        facts.served = facts.path
        facts.anchor = .incomplete
    }

    /// 2026-09-21.
    private static let sampleNow: Int64 = 1_790_000_000

    private static let samplePath = [
        CertificateFacts.sample("api.example.com", issuer: "Example CA 1"),
        CertificateFacts.sample("Example CA 1", issuer: "Example Root"),
        CertificateFacts.sample("Example Root", issuer: "Example Root"),
    ]
}

extension OSProfile {
    /// For examples only: the first release with the system's own rules on RSA keys and SHA-1.
    static let iOS11 = OSProfile.named("ios11") ?? .iOS10
}

extension CertificateFacts {
    fileprivate static func sample(_ name: String, issuer: String) -> CertificateFacts {
        var certificate = CertificateFacts()
        certificate.subject = "CN=\(name)"
        certificate.issuer = "CN=\(issuer)"
        certificate.commonName = name
        certificate.setKey(.ec, 256)
        certificate.setHash("sha256", 256)
        certificate.notBefore = 1_780_000_000
        certificate.notAfter = 1_800_000_000
        certificate.isSelfIssued = name == issuer
        certificate.isCA = name != "api.example.com"
        if !certificate.isCA {
            certificate.dnsNames = [name]
            certificate.allowsServerAuth = true
        }
        certificate.spkiSHA256 = name
        return certificate
    }

    /// Sets the type and the size of the certificate's key.
    mutating func setKey(_ type: KeyType, _ bits: Int) {
        keyType = type
        keyBits = bits
    }

    /// Sets an RSA signature with that hash, named as in OpenSSL.
    mutating func setHash(_ name: String, _ bits: Int) {
        signature = "\(name)WithRSAEncryption"
        signatureHashBits = bits
    }
}

extension CipherSuite {
    static let exampleECDHE = CipherSuite(code: 0xC02F, name: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    static let exampleTLS13 = CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256")
    static let exampleRSA = CipherSuite(code: 0x002F, name: "TLS_RSA_WITH_AES_128_CBC_SHA")
    static let exampleTripleDES = CipherSuite(code: 0x000A, name: "TLS_RSA_WITH_3DES_EDE_CBC_SHA")
    static let exampleDHE = CipherSuite(code: 0x009E, name: "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256")
    static let exampleCBC = CipherSuite(code: 0xC027, name: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256")
}

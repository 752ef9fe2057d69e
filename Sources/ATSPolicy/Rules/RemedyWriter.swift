/// Finds the smallest change that would make a refused handshake pass.
struct RemedyWriter {
    private let handshake: HandshakeCase

    init(_ handshake: HandshakeCase) {
        self.handshake = handshake
    }

    /// - Parameter findings: every rule that the handshake breaks. An exception is proposed only when it heals all.
    func remedy(for findings: [Finding]) -> Remedy {
        let settings = findings.map { setting(for: $0.rule) }
        guard settings.allSatisfy({ $0 != nil }) else {
            return Remedy(server: serverSentences(for: findings) + [whyNoExceptionHelps(findings)])
        }
        guard ExceptionPath.exists(for: handshake.host, on: handshake.profile) else {
            return Remedy(
                server: serverSentences(for: findings) + [Self.voidAddress(handshake.host, handshake.profile)])
        }
        let domain = ExceptionPath.domain(host: handshake.host, basis: handshake.basis)
        return Remedy(
            server: serverSentences(for: findings),
            exception: ExceptionFix(domain: domain, settings: settings.compactMap(\.self).firstOfEach))
    }

    /// The key that would waive a rule; nil when none does. Trust, keys and hashes have none
    /// (`ats-semantics.md` 12.5, C4, C10).
    private func setting(for rule: RuleID) -> ExceptionFix.Setting? {
        let facts = handshake.facts
        switch rule {
        case .tlsVersion where facts.version >= handshake.profile.tlsFloor:
            return ExceptionFix.Setting(ATSKey.minimumTLS, .text(facts.version.declarationName))
        case .forwardSecrecy where handshake.profile.staticRSASuites.contains(facts.suite):
            return ExceptionFix.Setting(ATSKey.forwardSecrecy, .flag(false))
        case .cipherSuite where handshake.demands?.niap != nil && handshake.profile.atsSuites.contains(facts.suite),
            .niap:
            return ExceptionFix.Setting(ATSKey.exceptionNIAPVersion, .text(NIAPPackage.none.rawValue))
        case .atsCertificateTransparency:
            return ExceptionFix.Setting(ATSKey.certificateTransparency, .flag(false))
        default:
            return nil
        }
    }

    private func whyNoExceptionHelps(_ findings: [Finding]) -> String {
        let title = handshake.profile.title
        if handshake.facts.version < handshake.profile.tlsFloor {
            return Self.voidMinimum(handshake.profile)
        }
        if findings.contains(where: { $0.rule == .pinnedIdentity }) {
            return "No ATS key helps: pins hold beside every exception, and the app's own code cannot lift them."
        }
        if findings.first?.rule.isHandshakeParameter == true, findings.allSatisfy(\.rule.isHandshakeParameter) {
            return "No ATS key helps: \(title) does not offer \(handshake.facts.suite.name) at all."
        }
        return "No ATS key helps: an exception never makes a bad certificate good, "
            + "\(ATSKey.insecureHTTP) only lets the app's own code accept it."
    }

    /// On a system whose floor is above what the key could allow (4.6 `[O]`/`[D]`).
    static func voidMinimum(_ profile: OSProfile) -> String {
        "No ATS key helps on \(profile.title): it speaks nothing older than TLS \(profile.tlsFloor.name), and "
            + "\(ATSKey.minimumTLS) is void there."
    }

    /// On a system that knows no addresses as keys (2.6, 3.1 `[D]`, C9).
    static func voidAddress(_ host: String, _ profile: OSProfile) -> String {
        "No exception helps: \(profile.title) looks at none for addresses, so only \(ATSKey.arbitraryLoads) frees "
            + "\(host)."
    }

    /// One sentence for each broken rule, in order, with what was seen.
    func serverSentences(for findings: [Finding]) -> [String] {
        findings.map { sentence(for: $0) }
    }

    private func sentence(for finding: Finding) -> String {
        let host = handshake.host
        switch finding.rule {
        case .tlsVersion, .osTLSFloor:
            let minimum = max(handshake.demands?.minimumTLS ?? .tls10, handshake.profile.tlsFloor)
            return "Enable TLS \(minimum.name) or newer; the origin answered with TLS \(handshake.facts.version.name)."
        case .forwardSecrecy:
            return "Enable ECDHE suites, for example \(Self.goodSuite); the origin chose \(handshake.facts.suite.name)."
        case .cipherSuite:
            return "Enable ECDHE suites with AES-GCM, for example \(Self.goodSuite); the origin chose "
                + "\(handshake.facts.suite.name)."
        case .selfSigned:
            return "Serve a certificate from a CA that the device trusts; \(finding.observed)."
        case .incompleteChain:
            return "Serve the intermediate certificates along with the leaf; \(finding.observed)."
        case .untrustedRoot:
            return "Serve a chain to a root that the device trusts, or install its root there; \(finding.observed)."
        case .expired:
            return "Renew the certificate; \(finding.observed)."
        case .revoked:
            return "Replace the certificate, with a new key if the old one got out; \(finding.observed)."
        case .notYetValid:
            return "Serve a certificate that is valid already, and check the clocks; \(finding.observed)."
        case .hostName, .noSAN:
            return "Serve a certificate whose subjectAltName has \(host); the origin's has \(finding.observed)."
        case .niap:
            return "Enable TLS 1.3, or TLS 1.2 with the extended master secret of RFC 7627 and SHA-2 signatures; "
                + "\(finding.observed)."
        case .pinnedIdentity:
            return "Serve a certificate with a pinned key, or update the pins in the app's \(ATSKey.pinnedDomains); "
                + "\(finding.observed)."
        case .serverAuthEKU:
            return "Reissue with the extended key usage serverAuth; \(finding.observed)."
        case .validityPeriod:
            return "Reissue for a shorter time; \(finding.observed)."
        case .certificateTransparency, .atsCertificateTransparency:
            return "Get a certificate from a CA that logs it publicly, and serve its timestamps; \(finding.observed)."
        case .keySize, .trustKeySize:
            return "Reissue with an RSA key of 2048 bits, an EC key of 256 bits, or more; \(finding.observed)."
        case .signatureHash, .trustSignatureHash:
            return "Reissue with a SHA-256 signature; \(finding.observed)."
        default:
            return "Make the origin meet this: \(finding.expected)."
        }
    }

    /// In every generation's list, for either kind of key (4.2).
    private static let goodSuite = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
}

extension [ExceptionFix.Setting] {
    /// Two rules may ask for the same key.
    fileprivate var firstOfEach: [ExceptionFix.Setting] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension RemedyWriter {
    /// For a cleartext load: one key for one host; for an address the key is the address. Source: `ats-semantics.md`
    /// 1.3 `[D]`, 3.4 `[D]`.
    static func cleartext(to target: LoadTarget, basis: RulingBasis, profile: OSProfile) -> Remedy {
        var server = ["Serve \(target.host) over https with TLS 1.2 or newer, and load it by an https URL."]
        // An entry beats the local rule (2.1), so the global key helps only where there is none.
        if basis.isLocal, basis.step != .exception {
            server.append(
                "Or leave \(ATSKey.localNetworking) out, or set it to true: \(target.host) is local, and only an "
                    + "explicit false keeps it under ATS.")
        }
        guard ExceptionPath.exists(for: target.host, on: profile) else {
            return Remedy(server: server + [voidAddress(target.host, profile)])
        }
        let fix = ExceptionFix(
            domain: ExceptionPath.domain(host: target.host, basis: basis),
            settings: [ExceptionFix.Setting(ATSKey.insecureHTTP, .flag(true))])
        return Remedy(server: server, exception: fix)
    }
}

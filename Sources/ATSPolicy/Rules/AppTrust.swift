public import Text

/// The app's own decisions about certificates, in addition to its dictionary: a delegate that accepts certificates that
/// the system rejects, and pins.
///
/// A delegate is consulted only if ATS does not insist on trust, and never overrides a pin of the dictionary. Source:
/// Security, SecProtocolConfiguration.m; Apple, Preventing Insecure Network Connections; Apple, NSPinnedDomains;
/// docs/law/rulings.md#demands, docs/law/trust.md#app-override, docs/law/pinning.md#evaluation. ATS's own minimums for
/// keys and hashes still apply; whether Apple enforces them under AllowsInsecure is unclear (inferred;
/// docs/law/rulings.md#demands).
public struct AppTrust: Sendable, Hashable {
    public enum Override: Sendable, Hashable {
        case nowhere
        case everywhere
        case hosts(HostPatterns)

        func contains(_ host: String) -> Bool {
            switch self {
            case .nowhere: false
            case .everywhere: true
            case .hosts(let patterns): patterns.contains(host)
            }
        }
    }

    public var override: Override
    /// If a host has pins, one of them must match a certificate in its chain.
    public var pins: [AppPin]

    public init(override: Override = .nowhere, pins: [AppPin] = []) {
        self.override = override
        self.pins = pins
    }

    /// The app leaves every decision to the system.
    public static let systemOnly = AppTrust()

    /// Returns the verdict after the app's own code has decided.
    ///
    /// If the app accepts a certificate, `failure` is nil and the findings stay, after one of the rule
    /// `app.trust-override`. If the app rejects a certificate, the failure is of the rule `app.pin`.
    ///
    /// - Parameter verdict: the system's verdict on a finished handshake.
    public func judge(_ verdict: HandshakeVerdict, of handshake: HandshakeCase) -> HandshakeVerdict {
        let accepted = overridden(verdict, handshake) ?? verdict
        guard accepted.failure == nil, let finding = pinFinding(handshake) else { return accepted }
        return HandshakeVerdict(
            findings: [finding] + accepted.findings, failure: .trust(.appPin, isStrict: true),
            remedy: Remedy([
                .server("Serve a certificate that the app pins, or ship the app with new pins."),
                .noKeyHelps(because: "the app's own code rejects the certificate."),
            ]))
    }

    private func overridden(_ verdict: HandshakeVerdict, _ handshake: HandshakeCase) -> HandshakeVerdict? {
        guard case .trust(let rule, let isStrict)? = verdict.failure, override.contains(handshake.host),
            verdict.findings.allSatisfy({ $0.rule.category == .trust }),
            !isStrict || Self.acceptsAppAnchors(handshake, verdict.findings)
        else { return nil }
        let finding = Finding(
            rule: .appTrustOverride, title: "Certificate accepted by the app's own code",
            keyPath: handshake.demands == nil ? nil : handshake.keyPath(ATSKey.insecureHTTP),
            expected: "a certificate that the system trusts",
            observed: "\(rule.rawValue), which the app's own code accepts", confidence: .documented,
            source: "Apple, Preventing Insecure Network Connections; docs/law/trust.md#app-override")
        return HandshakeVerdict(findings: [finding] + verdict.findings, failure: nil, remedy: nil)
    }

    /// Before iOS 11, ATS accepted a CA that the app's code set as an anchor, even if it insisted on trust. iOS 11
    /// ended that. Source: GitHub, datatheorem/TrustKit issue 154; Stack Overflow 46316604.
    private static func acceptsAppAnchors(_ handshake: HandshakeCase, _ findings: [Finding]) -> Bool {
        handshake.profile.release.generation < OSVersion(11)
            && findings.allSatisfy { $0.rule.consequence?.isAboutAnchor == true }
    }

    /// Any certificate of the evaluated path may be the pinned one, as in the libraries that apps use. A certificate
    /// that the origin merely sends proves nothing. Source: GitHub, datatheorem/TrustKit, ssl_pin_verifier.m, which
    /// walks the certificates of the evaluated SecTrust; OWASP, Certificate and Public Key Pinning.
    private func pinFinding(_ handshake: HandshakeCase) -> Finding? {
        guard !pins.isEmpty else { return nil }
        let governing = pins.filter { $0.hosts.contains(handshake.host) }
        guard let leaf = handshake.leaf, !governing.isEmpty,
            !handshake.pinnedPath.contains(where: { certificate in governing.contains { $0.matches(certificate) } })
        else { return nil }
        return Finding(
            rule: .appPin, title: "Certificate not pinned by the app's own code", keyPath: nil,
            expected: "an identity that the app pins for \(handshake.host) (\(governing.count) pinned)",
            observed: "leaf \(leaf.quotedName) with the key \(leaf.spkiSHA256)", confidence: .inferred,
            source: "the app's own code, as configured in the gate; docs/law/trust.md#app-override")
    }
}

/// An identity that the app itself pins for a host, independent of its dictionary: a bundled certificate or a public
/// key.
public struct AppPin: Sendable, Hashable {
    public enum Identity: Sendable, Hashable {
        /// Lower-case hexadecimal of the SHA-256 over the DER certificate, as in ``CertificateFacts/sha256``.
        case certificate(sha256: String)
        /// Base64 of the SHA-256 over the SubjectPublicKeyInfo, as in ``CertificateFacts/spkiSHA256``.
        case publicKey(sha256: String)
    }

    public let hosts: HostPatterns
    public let identity: Identity

    /// - Parameter host: a host, or `*.example.com` for all of its subdomains; any other text matches no host.
    public init(host: String, _ identity: Identity) {
        hosts = HostPatterns([host])
        self.identity = identity
    }

    /// Reads `sha256/BASE64`, the form that TLS libraries use.
    ///
    /// - Returns: nil for any other text.
    public init?(host: String, publicKey text: String) {
        guard text.hasPrefix(Self.scheme) else { return nil }
        let value = text.dropFirst(Self.scheme.count)
        let digits = value.utf8.dropLast()
        guard value.utf8.count == Self.base64Bytes, value.utf8.last == UInt8(ascii: "="),
            digits.allSatisfy(\.isBase64Digit)
        else { return nil }
        self.init(host: host, .publicKey(sha256: String(value)))
    }

    func matches(_ certificate: CertificateFacts) -> Bool {
        switch identity {
        case .certificate(let sha256): certificate.sha256 == sha256
        case .publicKey(let sha256): certificate.spkiSHA256 == sha256
        }
    }

    private static let scheme = "sha256/"
    /// 32 bytes in Base64.
    private static let base64Bytes = 44
}

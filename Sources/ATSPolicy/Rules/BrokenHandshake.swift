import Text

/// Wording for a handshake that broke without a diagnosis.
struct BrokenHandshake {
    var failure: HandshakeFailure
    var target: LoadTarget
    var basis: RulingBasis
    var demands: TLSDemands?
    var offer: TLSOffer
    var profile: OSProfile

    var finding: Finding {
        let rule = rule
        return Finding(
            rule: rule, title: title(of: rule), keyPath: keyPath(for: rule), expected: expected,
            observed: observed, confidence: rule.isHandshakeParameter ? .inferred : .observed,
            source: "coreTLS, sslAlertMessage.c; docs/law/errors.md#broken-handshakes")
    }

    /// An answer outside the offer identifies the rule. An alert does not: 40, for example, is sent for a version, a
    /// suite or a missing name (docs/law/errors.md#by-failure).
    private var rule: RuleID {
        switch failure {
        case .versionNotOffered: versionRule
        case .suiteNotOffered: demands == nil ? .tlsAlert : .cipherSuite
        case .alertReceived, .library: .tlsAlert
        case .closed: .tlsClosed
        case .notTLS: .tlsNotTLS
        case .timeout: .tlsTimeout
        case .chainTooLarge: .gateChainSize
        case .nothingToOffer: .tlsVersion
        }
    }

    /// The OS minimum decides if it overrules an entry, or if ATS does not apply.
    private var versionRule: RuleID {
        demands == nil || demands?.overruledMinimum != nil ? .osTLSFloor : .tlsVersion
    }

    private func title(of rule: RuleID) -> String {
        if let rule = RuleBook.standard.rule(rule) { return rule.title }
        return switch failure {
        case .closed: "Connection closed during the TLS handshake"
        case .notTLS: "Server did not answer with TLS"
        case .timeout: "TLS handshake timed out"
        case .chainTooLarge: "Certificate chain too long for the gate"
        case .alertReceived, .versionNotOffered, .suiteNotOffered, .nothingToOffer, .library: "TLS handshake refused"
        }
    }

    /// A lower minimum helps only if the OS still supports an older version.
    private func keyPath(for rule: RuleID) -> String? {
        guard rule == .tlsVersion, let demands, profile.tlsFloor < demands.minimumTLS else { return nil }
        return ExceptionPath.keyPath(ATSKey.minimumTLS, host: target.host, basis: basis)
    }

    private var expected: String {
        switch failure {
        case .versionNotOffered: "TLS \(offer.minimum.name) or newer"
        case .suiteNotOffered where demands != nil: "one of the \(offer.suites.count) cipher suites offered"
        case .chainTooLarge: "a certificate chain of at most \(CertificateFacts.longestChain) bytes"
        case .nothingToOffer:
            "a minimum of at most TLS \(profile.newestTLS.name), the newest version of \(profile.title)"
        case .suiteNotOffered, .alertReceived, .closed, .notTLS, .timeout, .library:
            "a completed handshake with \(versions)"
        }
    }

    private var versions: String {
        offer.minimum == offer.maximum
            ? "TLS \(offer.minimum.name)" : "TLS \(offer.minimum.name) to \(offer.maximum.name)"
    }

    private var observed: String {
        switch failure {
        case .alertReceived(let number): "alert \(AlertStatus.title(of: number))"
        case .versionNotOffered: "a version that was not offered"
        case .suiteNotOffered: "a cipher suite that was not offered"
        case .closed(let reset): reset ? "the connection was reset" : "the connection was closed"
        case .notTLS(let bytes): isHTTP(bytes) ? "a plain HTTP response" : "bytes that are not a TLS record"
        case .timeout: "no answer in time"
        case .nothingToOffer: "a minimum of TLS \((demands?.minimumTLS ?? .tls13).name), so that nothing can be offered"
        case .chainTooLarge: "a longer chain, which the gate does not read; a device may"
        case .library(let code): "a handshake that OpenSSL rejects (OpenSSL error \(hexadecimal(code)))"
        }
    }

    /// The change for the server. For a version below the OS minimum, adds that no key helps.
    var advice: [Advice] {
        let isAboutVersion = failure == .versionNotOffered || failure == .alertReceived(Self.protocolVersion)
        guard isAboutVersion, profile.tlsFloor > .tls10, offer.minimum == profile.tlsFloor else {
            return serverAdvice
        }
        return serverAdvice + [RemedyWriter.ineffectiveMinimum(profile)]
    }

    private var serverAdvice: [Advice] { [serverSentence, gap].compactMap { $0.map { .server($0) } } }

    private var serverSentence: String? {
        switch failure {
        case .notTLS: "Serve TLS on port \(target.port) of \(target.host)."
        case .timeout:
            "Find out why \(target.host) does not answer TLS handshakes on port \(target.port)."
        case .chainTooLarge:
            "Serve only the leaf and its intermediate certificates on \(target.host)."
        case .versionNotOffered:
            "Enable TLS \(offer.minimum.name) or newer on \(target.host)."
        case .nothingToOffer:
            "No change of the server helps on \(profile.title), because no TLS version is left to offer."
        case .suiteNotOffered:
            "Make \(target.host) choose one of the cipher suites that the client offers."
        case .alertReceived, .closed, .library:
            "Make \(target.host) accept what \(profile.title) offers: \(versions) with ECDHE suites."
        }
    }

    /// Advice for an origin that agrees to a signature or group that the release does not offer.
    func unoffered(in facts: HandshakeFacts) -> [Advice] {
        guard let offered = offer.signatures, let shape = offer.shape else { return [] }
        var advice: [Advice] = []
        // Up to TLS 1.1 the algorithm is fixed (RFC 4346 section 7.4.3).
        if facts.version >= .tls12, let signature = facts.signature, !signature.isAmong(offered) {
            advice.append(
                .server(
                    "It signed with \(signature.words), which \(profile.title) does not offer "
                        + "(\(DocsSection.groupsAndSignatures)). Install a certificate with an RSA or EC P-256 key."))
        }
        if facts.group == HelloShape.hybridGroupName, !shape.offersHybridGroup {
            advice.append(
                .server(
                    "It chose the group \(HelloShape.hybridGroupName), which \(profile.title) does not offer. Enable "
                        + "X25519 or P-256, too."))
        }
        return advice
    }

    /// The suites of the offer that the gate lacks; nil if there is none, or if the failure has another cause.
    private var gap: String? {
        switch failure {
        case .alertReceived, .closed, .library: break
        case .notTLS, .timeout, .chainTooLarge, .versionNotOffered, .nothingToOffer, .suiteNotOffered: return nil
        }
        guard offer.suites.contains(where: \.isBeyondOpenSSL) else { return nil }
        let names = offer.suites.contains(where: CipherSuite.rc4.contains) ? "3DES or RC4" : "3DES"
        return "If the server accepts only \(names), a device connects, but this gate cannot: OpenSSL lacks them."
    }

    /// The finding about an origin that accepts the hello only without the hybrid group.
    ///
    /// - Parameter facts: of the handshake without it.
    func largeHello(_ facts: HandshakeFacts) -> Finding {
        Finding(
            rule: .tlsLargeHello, title: "Server fails the large ClientHello of 26", keyPath: nil,
            expected: "a completed handshake with \(HelloShape.hybridGroupName) in the hello",
            observed: "\(observed); without that group, TLS \(facts.version.name) succeeds",
            confidence: .inferred,
            source: "Apple support 122756; tdlib/telegram-bot-api 896; \(DocsSection.hybridGroup)")
    }

    /// The change for such an origin.
    static let largeHelloAdvice: [Advice] = [
        .server(
            "Update the server, or the firewall, load balancer or proxy before it: it must read a ClientHello of about "
                + "1,500 bytes, which needs more than one TCP segment, and ignore groups that it does not know."),
        .server("Releases before 26 send a smaller hello, so the load works there."),
    ]

    /// In the form that `openssl errstr` accepts.
    private func hexadecimal(_ code: UInt64) -> String { String(code, radix: 16, uppercase: true) }

    /// A web server answers TLS on its plain HTTP port with 400 in cleartext.
    private func isHTTP(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("HTTP/".utf8)) }

    /// RFC 8446 section 6.
    private static let protocolVersion: UInt8 = 70
}

extension RuleID {
    public static let cleartextLoad = RuleID("ats.cleartext-load", .ats)
}

/// The only rule without a handshake: the judge denies the load before the gate dials.
extension RuleBook {
    /// Returns the verdict on a cleartext load that ATS blocks.
    public func judge(_ denial: Denial, profile: OSProfile) -> HandshakeVerdict {
        judgeCleartext(to: denial.target, basis: denial.basis, profile: profile)
    }

    /// Returns the verdict on a denied cleartext load. Source: Security, SecProtocolConfiguration.m;
    /// docs/law/rulings.md#order-of-decisions.
    ///
    /// - Parameter basis: the ruling that denied it.
    public func judgeCleartext(to target: LoadTarget, basis: RulingBasis, profile: OSProfile) -> HandshakeVerdict {
        let isHelped = ExceptionPath.exists(for: target.host, on: profile)
        let key = isHelped ? ExceptionPath.keyPath(ATSKey.insecureHTTP, host: target.host, basis: basis) : nil
        let finding = Finding(
            rule: .cleartextLoad, title: "Cleartext HTTP load", keyPath: basis.keyPath ?? key,
            expected: isHelped ? "https, or an exception for \(target.host)" : "https",
            observed: "\(target.origin) is cleartext",
            confidence: basis.confidence,
            source: "Apple, NSAppTransportSecurity; docs/law/rulings.md#cleartext")
        return HandshakeVerdict(
            findings: [finding], failure: .cleartext,
            remedy: RemedyWriter.cleartext(to: target, basis: basis, profile: profile))
    }
}

extension ParentTrouble {
    /// The failure as a verb phrase that follows the proxy's name.
    var words: String {
        switch self {
        case .name(let code): "could not be resolved: \(SystemWords.resolver(code))"
        case .refused: "refused the connection"
        case .timeout: "did not answer in time"
        case .reset(let errno): "was reset or unreachable: \(SystemWords.error(errno))"
        case .answered(407): "answered 407: credentials are missing or wrong"
        case .answered(let status): "answered \(status)"
        case .gaveNoAnswer: "did not answer with HTTP"
        }
    }
}

extension LoadFailure {
    /// True if a device has no error for the failure: it is of the gate, or of a proxy that the gate uses.
    public var isGateFailure: Bool {
        if case .network(let failure) = self { failure.isGateFailure } else { false }
    }
}

extension NetworkFailure {
    /// True if the failure is in the gate or between the gate and its parent proxy, not between a device and its
    /// origin.
    var isGateFailure: Bool {
        switch self {
        case .noDescriptors, .ownAddress, .forbidden, .parent, .decrypted: true
        case .name, .refused, .timeout, .reset: false
        }
    }
}

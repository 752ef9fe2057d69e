/// A handshake that broke and that no diagnosis explains: words for what little is known.
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

    /// An answer outside the offer explains itself. An alert does not: 40, for one, is sent for a version as well as
    /// for a suite or a missing name (docs/law/errors.md#by-failure).
    private var rule: RuleID {
        switch failure {
        case .versionNotOffered: versionRule
        case .suiteNotOffered: demands == nil ? .tlsAlert : .cipherSuite
        case .alertReceived, .library: .tlsAlert
        case .closed: .tlsClosed
        case .notTLS: .tlsNotTLS
        case .timeout: .tlsTimeout
        case .chainTooLarge: .gateChainSize
        }
    }

    /// Whose minimum it was: the OS's where it overrules an entry, or where ATS asks nothing.
    private var versionRule: RuleID {
        demands == nil || demands?.overruledMinimum != nil ? .osTLSFloor : .tlsVersion
    }

    private func title(of rule: RuleID) -> String {
        if let rule = RuleBook.standard.rule(rule) { return rule.title }
        return switch failure {
        case .closed: "Connection closed during the TLS handshake"
        case .notTLS: "Answer that is not TLS"
        case .timeout: "TLS handshake timed out"
        case .chainTooLarge: "Chain of certificates too long for the gate"
        case .alertReceived, .versionNotOffered, .suiteNotOffered, .library: "TLS handshake refused"
        }
    }

    /// A lower minimum helps only where the OS still speaks something lower.
    private func keyPath(for rule: RuleID) -> String? {
        guard rule == .tlsVersion, let demands, profile.tlsFloor < demands.minimumTLS else { return nil }
        return ExceptionPath.keyPath(ATSKey.minimumTLS, host: target.host, basis: basis)
    }

    private var expected: String {
        switch failure {
        case .versionNotOffered: "TLS \(offer.minimum.name) or newer"
        case .suiteNotOffered where demands != nil: "one of the \(offer.suites.count) suites offered"
        case .chainTooLarge: "a chain of at most \(CertificateFacts.longestChain) bytes"
        case .suiteNotOffered, .alertReceived, .closed, .notTLS, .timeout, .library:
            "a finished handshake with \(versions)"
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
        case .notTLS(let bytes): isHTTP(bytes) ? "a plain HTTP answer" : "bytes that are not a TLS record"
        case .timeout: "no answer in time"
        case .chainTooLarge: "a longer one, which the gate does not read; a device may"
        case .library(let code): "a handshake that our TLS library refuses (OpenSSL error \(hexadecimal(code)))"
        }
    }

    /// What to look at on the server, and that no key spares it where a version is what is wrong.
    var advice: [Advice] {
        let isAboutVersion = failure == .versionNotOffered || failure == .alertReceived(Self.protocolVersion)
        guard isAboutVersion, profile.tlsFloor > .tls10, offer.minimum == profile.tlsFloor else {
            return [.server(serverSentence)]
        }
        return [.server(serverSentence), RemedyWriter.voidMinimum(profile)]
    }

    private var serverSentence: String {
        switch failure {
        case .notTLS: "Serve TLS on port \(target.port) of \(target.host)."
        case .timeout:
            "Find out why \(target.host) leaves a TLS handshake on port \(target.port) unanswered."
        case .chainTooLarge:
            "Let \(target.host) serve its own certificate and the intermediate ones, without other certificates."
        case .versionNotOffered:
            "Enable TLS \(offer.minimum.name) or newer on \(target.host)."
        case .suiteNotOffered:
            "Let \(target.host) choose among the suites that the client offers."
        case .alertReceived, .closed, .library:
            "Let \(target.host) accept what \(profile.title) offers: \(versions) with ECDHE suites."
        }
    }

    /// As `openssl errstr` takes it.
    private func hexadecimal(_ code: UInt64) -> String { String(code, radix: 16, uppercase: true) }

    /// A web server that is asked for TLS on its plain port answers 400 in the clear.
    private func isHTTP(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("HTTP/".utf8)) }

    /// RFC 8446 section 6.
    private static let protocolVersion: UInt8 = 70
}

extension RuleBook {
    /// Judges an origin that ended the connection after its certificate request was answered: up to TLS 1.2 within the
    /// handshake, in TLS 1.3 after it.
    ///
    /// - Parameters:
    ///   - host: the origin's host.
    ///   - shown: the verdict on the handshake before that. A device judges the handshake before it answers, so it
    ///     reports those findings first.
    public func judge(_ lost: LostConnection, by host: String, after shown: HandshakeVerdict) -> HandshakeVerdict {
        guard shown.failure == nil else { return shown }
        let hasSent = lost.clientCertificate == .sent
        let finding = Finding(
            rule: lost.rule, title: "Client certificate " + (hasSent ? "refused" : "required"), keyPath: nil,
            expected: "a server that accepts " + (hasSent ? "the client's" : "clients without a") + " certificate",
            observed: "\(host) requested a client certificate, got \(hasSent ? "one" : "none") and \(lost.ending)",
            confidence: .observed, source: "RFC 8446 4.4.2.4; docs/law/errors.md#after-the-handshake")
        let advice =
            hasSent
            ? "Make \(host) trust the issuer of the client's certificate, or send it another one (--client-cert)."
            : "Make \(host) accept clients without a certificate, or send it the app's certificate "
                + "(--client-cert \(host)=FILE)."
        return HandshakeVerdict(
            findings: [finding] + shown.findings, failure: .lost(lost), remedy: Remedy(server: [advice]))
    }
}

extension LostConnection {
    fileprivate var rule: RuleID {
        switch end {
        case .alert: .tlsAlert
        case .reset, .closed: .tlsClosed
        case .timeout: .tlsTimeout
        }
    }

    fileprivate var ending: String {
        switch end {
        case .alert(let number): "ended the connection with TLS alert \(AlertStatus.title(of: number))"
        case .reset: "reset the connection"
        case .closed: "closed the connection"
        case .timeout: "stopped responding"
        }
    }
}

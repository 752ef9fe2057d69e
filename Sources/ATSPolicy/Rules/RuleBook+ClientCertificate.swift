extension RuleBook {
    /// Judges an origin that asked for a client certificate and ended the connection over the answer: within the
    /// handshake up to TLS 1.2, behind it in TLS 1.3.
    ///
    /// - Parameters:
    ///   - host: whose origin it is.
    ///   - shown: the verdict on what the origin had shown by then. A device holds that against the law before it
    ///     answers, so what is wrong there is what it reports.
    public func judge(_ lost: LostConnection, by host: String, after shown: HandshakeVerdict) -> HandshakeVerdict {
        guard shown.failure == nil else { return shown }
        let hasSent = lost.clientCertificate == .sent
        let finding = Finding(
            rule: lost.rule, title: "Client certificate " + (hasSent ? "refused" : "required"), keyPath: nil,
            expected: "an origin that takes " + (hasSent ? "the client's" : "clients without a") + " certificate",
            observed: "\(host) asked for a client certificate, got \(hasSent ? "one" : "none") and \(lost.ending)",
            confidence: .observed, source: "RFC 8446 4.4.2.4; docs/law/errors.md#after-the-handshake")
        let advice =
            hasSent
            ? "Let \(host) trust the issuer of the client's certificate, or show it another one (--client-cert)."
            : "Let \(host) take clients without a certificate, or show it the one that the app has "
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
        case .timeout: "said no more"
        }
    }
}

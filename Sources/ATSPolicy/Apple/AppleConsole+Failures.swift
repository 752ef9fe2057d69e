/// Errors of handshakes and connections that broke.
extension AppleConsole {
    /// A broken handshake: -1200, or a timeout.
    func handshake(_ failure: HandshakeFailure, rule: RuleID?, facts: HandshakeFacts?) -> AppleError {
        guard let status = StreamStatus.handshake(failure, on: device) else { return timedOut() }
        let code = -1200
        let log =
            switch generation {
            case .ios9: ["CFNetwork SSLHandshake failed (\(status.code))", streamFailed(status)]
            case .ios10:
                [
                    "[] nw_coretls_read_one_record tls_handshake_process: [\(status.code)]", streamFailed(status),
                    "(CFNetwork) HTTP load failed (error code: \(code) [3:\(status.code)])",
                ]
            case .ios11, .ios12:
                boringSSLLines(failure, status) + [connectionFailed(domain: StreamStatus.domain, status.code)]
                    + taskFailed(code, status)
            case .ios13to15, .ios16to18, .ios26, .ios27:
                boringSSLLines(failure, status) + connectionFrame(domain: StreamStatus.domain, status.code) + [
                    httpLoadFailed(code, status),
                    finished(
                        code, secureConnectionFailed,
                        userInfo: .tls(
                            self, code: code, status: status.code, message: secureConnectionFailed, served: [])),
                ]
            }
        var error = sslError(
            code, status, message: secureConnectionFailed,
            detail: rule?.consequence?.violation(nil).rawValue,
            log: UnifiedLog(self).of(handshake: rule, facts: facts) + log)
        // These two rows of docs/law/errors.md#by-failure were seen on 26, too.
        if failure == .alertReceived(70) || failure == .closed(reset: false) { error.confidence = status.confidence }
        return error
    }

    /// An origin that was not reached (docs/law/errors.md#codes, docs/console-lines.md). The text of -1005 is from
    /// QA1941 (documented), the others are from logs.
    func network(_ failure: NetworkFailure) -> AppleError {
        switch failure {
        case .name:
            // kCFStreamErrorDomainNetDB.
            return networkError(
                -1003, "NSURLErrorCannotFindHost", "A server with the specified hostname could not be found.",
                domain: 12, stream: 8, "EAI_NONAME", log: unreachable(domain: 12, 8))
        case .refused:
            // kCFStreamErrorDomainPOSIX, with Darwin's number.
            return networkError(
                -1004, "NSURLErrorCannotConnectToHost", "Could not connect to the server.", domain: 1, stream: 61,
                "ECONNREFUSED", log: unreachable(domain: 1, 61))
        case .timeout:
            return timedOut()
        case .reset, .noDescriptors, .ownAddress, .forbidden, .parent, .decrypted:
            return networkError(-1005, "NSURLErrorNetworkConnectionLost", "The network connection was lost.")
        }
    }

    /// Domain 4 and -2102 were seen with a proxy that never answers (observed; docs/law/errors.md#proxies).
    func timedOut() -> AppleError {
        networkError(-1001, "NSURLErrorTimedOut", "The request timed out.", domain: 4, stream: -2102)
    }

    /// Lines for an unreachable origin (observed; docs/console-lines.md); those of 9 and 10 are not recorded.
    private func unreachable(domain: Int, _ code: Int) -> [String] {
        switch generation {
        case .ios9, .ios10: []
        case .ios11, .ios12: [connectionFailed(domain: domain, code)]
        case .ios13to15, .ios16to18, .ios26, .ios27: connectionFrame(domain: domain, code)
        }
    }

    private func connectionFrame(domain: Int, _ code: Int) -> [String] {
        [
            "\(connection): received failure notification",
            "\(connection): failed to connect \(domain):\(code), reason -1",
            "\(connection): encountered error(\(domain):\(code))",
        ]
    }

    func networkError(
        _ code: Int, _ constant: String, _ message: String, domain: Int? = nil, stream: Int? = nil,
        _ streamConstant: String? = nil, log: [String] = [], confidence: Confidence = .observed
    ) -> AppleError {
        AppleError(
            domain: Self.urlDomain, code: code, constant: constant, message: message,
            stream: AppleError.Stream(domain: domain, code: stream, constant: streamConstant), log: log,
            confidence: confidence)
    }
}

/// Errors of rejected certificates.
extension AppleConsole {
    /// -1200 with -9802 (docs/console-lines.md, docs/law/errors.md#by-failure). The first line occurs together with
    /// *system* in the second wherever both were seen: GitHub, Alamofire/Alamofire issue 3091 (13), and reports of 16
    /// to 26. *strict* was seen once, on 15 and without the first line, and is a separate variant
    /// (``ConsoleVariant/strictTrust``). On 26 and 27 the description is new (docs/law/errors.md#codes) and the lines
    /// are those of 16-18 (inferred). The lines that libboringssl adds on 12 are not recorded.
    func strictTrust(_ rule: RuleID, facts: HandshakeFacts?) -> AppleError {
        let status = StreamStatus.strictTrust(rule)
        let ats = "ATS failed system trust"
        let old =
            [ats, systemTrustFailed, trustRefused, connectionFailed(domain: StreamStatus.domain, status.code)]
            + taskFailed(-1200, status)
        let usual =
            switch generation {
            case .ios9, .ios10: [streamFailed(status)]
            case .ios11: old
            case .ios12: old + [loadFailed(-1200, status, message: secureConnectionFailed, facts: facts)]
            case .ios13to15, .ios16to18, .ios26, .ios27:
                (shows(.strictTrust)
                    ? [evaluationFailed("strict", status)] : [ats, evaluationFailed("system", status)])
                    + trustFrame(-1200, status, message: secureConnectionFailed, facts: facts)
            }
        let unified = UnifiedLog(self)
        let log = unified.before(rule, status) + usual + unified.after(rule, facts: facts)
        var error = sslError(
            -1200, status, message: secureConnectionFailed,
            detail: rule.consequence?.violation(facts).rawValue, log: log)
        if shows(.strictTrust) { error.confidence = .observedOnce }
        if shows(.unifiedLog) { error.confidence = unified.confidence(rule) }
        return error
    }

    /// -1202, which an app's delegate can still override (observed; docs/law/errors.md#by-failure). No log shows the
    /// lines of 12 and 26. 17 and 18 use those of 16, as for strict trust (inferred).
    func laxTrust(_ rule: RuleID, facts: HandshakeFacts?) -> AppleError {
        let status = StreamStatus.laxTrust(rule, on: device)
        // The text of 26 for this code is not known (11), so the older one is used.
        let message =
            "The certificate for this server is invalid. You might be connecting to a server that is pretending to "
            + "be “\(target.host)” which could put your confidential information at risk."
        let log =
            switch generation {
            case .ios9, .ios10: [streamFailed(status)]
            case .ios11: [trustRefused] + taskFailed(-1202, status)
            case .ios13to15, .ios16to18:
                [evaluationFailed("default", status)]
                    + trustFrame(-1202, status, message: message, facts: facts, isLax: true)
            case .ios12, .ios26, .ios27: [String]()
            }
        // ATS rejected nothing here, except if its own minimums are the reason.
        let detail = rule.category == .ats ? rule.consequence?.violation(facts).rawValue : nil
        let shown = withoutTask(log, code: -1202)
        var error = sslError(-1202, status, message: message, detail: detail, log: shown)
        if shown.isEmpty { error.confidence = .inferred }
        return error
    }

    /// The adjective shows the mode (observed, inferred; docs/console-lines.md).
    private func evaluationFailed(_ mode: String, _ status: StreamStatus) -> String {
        "\(connection): \(mode) TLS Trust evaluation failed(\(status.code))"
    }

    /// The lines that both kinds of trust failure share since 13 (observed; docs/console-lines.md).
    private func trustFrame(
        _ code: Int, _ status: StreamStatus, message: String, facts: HandshakeFacts?, isLax: Bool = false
    ) -> [String] {
        let hasInterfaceLine = isLax && device.release < OSVersion(15)
        let served = facts?.served ?? []
        return [
            "\(connection): TLS Trust encountered error 3:\(status.code)",
            "\(connection): encountered error(3:\(status.code))",
        ]
            + (hasInterfaceLine
                ? ["\(connection): unable to determine interface type without an established connection"] : [])
            + [
                httpLoadFailed(code, status),
                finished(
                    code, message,
                    userInfo: .tls(self, code: code, status: status.code, message: message, served: served)),
            ]
    }
}

/// Errors of origins that were lost after they were reached, and of responses that cannot be parsed. The lines of
/// devices since 13 are not published, so those logs are empty.
extension AppleConsole {
    /// An origin that went away before its response was complete.
    func lost(_ connection: LostConnection) -> AppleError {
        // An origin that began to answer did not miss a certificate.
        let certificate = connection.answerBegan ? nil : connection.clientCertificate
        return switch (connection.end, certificate) {
        case (.timeout, _): timedOut()
        case (.alert(let alert), .asked) where AlertStatus.mayConcernCertificate(alert): certificateRequired(.observed)
        case (.reset, .asked), (.closed, .asked): certificateRequired(.inferred)
        case (.alert(let alert), .sent) where AlertStatus.mayConcernCertificate(alert): certificateRejected(alert)
        case (.alert(let alert), _): alerted(alert)
        case (.reset, _): connectionLost(domain: 1, 54, "ECONNRESET", .inferred)
        // kCFStreamErrorDomainHTTP. Source: GitHub, SDWebImage/SDWebImage issue 1765, Alamofire/Alamofire issue 2581.
        case (.closed, _): connectionLost(domain: 4, -4, nil, .observed)
        }
    }

    /// Source for code, text and stream error: GitHub, firebase/firebase-ios-sdk issue 9250 (15), facebook/react-native
    /// issue 32662 (14).
    func malformedAnswer() -> AppleError {
        networkError(-1017, "NSURLErrorCannotParseResponse", "cannot parse response", domain: 4, stream: -1)
    }

    /// The origin required a certificate and got none. The reports contain no stream error. Source: Apple developer
    /// forums, thread 795263; GitHub, Alamofire/Alamofire issue 2714; openradar 26344026. The code is inferred for a
    /// connection that is closed without an alert.
    private func certificateRequired(_ confidence: Confidence) -> AppleError {
        networkError(
            -1206, "NSURLErrorClientCertificateRequired",
            "The server “\(target.host)” requires a client certificate.", confidence: confidence)
    }

    /// The origin rejected the client's certificate; the error has the alert's own number. Source: GitHub,
    /// AFNetworking/AFNetworking issues 3999 and 4031 (alert 51 on 11), Alamofire/Alamofire issue 2512 (alert 42 on
    /// 10). All of these alerts were sent within the handshake, as in TLS 1.2. The same error for TLS 1.3, which sends
    /// them after the handshake, and for other alerts is inferred.
    private func certificateRejected(_ alert: UInt8) -> AppleError {
        let code = -1205
        let status = AlertStatus.of(alert).status(on: device)
        let log =
            switch generation {
            case .ios10:
                ["[] nw_coretls_read_one_record tls_handshake_process: [\(status.code)]", streamFailed(status)]
            case .ios11: [connectionFailed(domain: StreamStatus.domain, status.code)] + taskFailed(code, status)
            case .ios9, .ios12, .ios13to15, .ios16to18, .ios26, .ios27: [String]()
            }
        let wasSeen = (generation == .ios11 && alert == 51) || (generation == .ios10 && alert == 42)
        return AppleError(
            domain: Self.urlDomain, code: code, constant: "NSURLErrorClientCertificateRejected",
            message: "The server “\(target.host)” did not accept the certificate.",
            stream: AppleError.Stream(status), log: log, confidence: wasSeen ? .observed : .inferred)
    }

    /// A fatal alert unrelated to a client certificate: its own number, as in a handshake (inferred; no report of one
    /// after the handshake was found).
    private func alerted(_ alert: UInt8) -> AppleError {
        var error = sslError(
            -1200, AlertStatus.of(alert).status(on: device), message: secureConnectionFailed, detail: nil, log: [])
        error.confidence = .inferred
        return error
    }

    /// Source of code and text: Apple, QA1941.
    private func connectionLost(
        domain: Int, _ stream: Int, _ constant: String?, _ confidence: Confidence
    ) -> AppleError {
        networkError(
            -1005, "NSURLErrorNetworkConnectionLost", "The network connection was lost.", domain: domain,
            stream: stream, constant, confidence: confidence)
    }
}

extension AlertStatus {
    /// True if the alert may refer to the client's certificate or its absence. These are handshake_failure, the family
    /// of certificate alerts, unknown_ca, access_denied, decrypt_error (a signature that does not verify) and
    /// certificate_required. Source: RFC 8446 sections 4.4.2.4 and 6.2, RFC 5246 section 7.4.6.
    static func mayConcernCertificate(_ alert: UInt8) -> Bool {
        switch alert {
        case 40, 42...46, 48, 49, 51, 116: true
        default: false
        }
    }
}

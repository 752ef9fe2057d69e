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

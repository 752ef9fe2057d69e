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

/// Lines that several failures share. Source: public logs; docs/console-lines.md. Object addresses and file positions,
/// which differ in every run, are written `0x...` and `...`.
extension AppleConsole {
    /// 9 to 12.
    func streamFailed(_ status: StreamStatus) -> String {
        "NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, \(status.code))"
    }

    /// 11 and 12, from two reports.
    var systemTrustFailed: String { "System Trust failed for [\(identifiers.connection):0x...]" }

    /// 11 and 12.
    var trustRefused: String { "TIC SSL Trust Error [\(identifiers.connection):0x...]: 3:0" }

    /// 11 and 12.
    func connectionFailed(domain: Int, _ code: Int) -> String {
        "TIC TCP Conn Failed [\(identifiers.connection):0x...]: \(domain):\(code) Err(\(code))"
    }

    /// The last lines of a failed task on 11 and 12.
    func taskFailed(_ code: Int, _ status: StreamStatus) -> [String] {
        [
            streamFailed(status), "\(task) HTTP load failed (error code: \(code) [3:\(status.code)])",
            finished(code),
        ]
    }

    /// 11 and 12.
    func finished(_ code: Int) -> String { "\(task) finished with error - code: \(code)" }

    /// 12.
    func loadFailed(_ code: Int, _ status: StreamStatus, message: String, facts: HandshakeFacts?) -> String {
        let userInfo = UserInfo.tls(
            self, code: code, status: status.code, message: message, served: facts?.served ?? [])
        return "\(task) load failed with error \(printed(code, message, userInfo))"
    }

    /// Since 13.
    func httpLoadFailed(_ code: Int, _ status: StreamStatus) -> String {
        "\(task) HTTP load failed, 0/0 bytes (error code: \(code) [3:\(status.code)])"
    }

    /// The last line of a failed task since 13.
    func finished(_ code: Int, _ message: String, userInfo: UserInfo) -> String {
        "\(task) finished with error [\(code)] \(printed(code, message, userInfo))"
    }

    /// An NSError as it is printed.
    func printed(_ code: Int, _ message: String, _ userInfo: UserInfo) -> String {
        "Error Domain=\(Self.urlDomain) Code=\(code) \"\(message)\" UserInfo=\(userInfo.text)"
    }
}

/// Lines of the TLS library.
extension AppleConsole {
    /// The line numbers are those of the builds that were seen: 1872 of 13, 1991 of 16, and the others of 13.
    func boringSSLLines(_ failure: HandshakeFailure, _ status: StreamStatus) -> [String] {
        switch (generation, failure) {
        case (.ios11, .alertReceived(40)), (.ios12, .alertReceived(40)):
            [
                boringSSL("boringssl_session_errorlog(224)")
                    + "[boringssl_session_read] SSL_ERROR_SSL(1): operation failed within the library",
                boringSSL("boringssl_session_handshake_error_print(205)")
                    + "...:error:100000d7:SSL routines:OPENSSL_internal:SSL_HANDSHAKE_FAILURE:...",
            ]
        case (.ios11, .closed(reset: false)), (.ios12, .closed(reset: false)):
            [
                boringSSL("nw_protocol_boringssl_input_finished(1543)")
                    + "Peer disconnected during the middle of a handshake. Sending \(status.constant)"
                    + "(\(status.code)) alert"
            ]
        case (.ios13to15, .alertReceived(let alert)): alertLines(alert, line: 1_872)
        case (.ios16to18, .alertReceived(let alert)), (.ios26, .alertReceived(let alert)),
            (.ios27, .alertReceived(let alert)):
            alertLines(alert, line: 1_991)
        // One log of 26; it does not name the function that prints the line.
        case (.ios26, .closed(reset: true)), (.ios27, .closed(reset: true)):
            ["received ECONNRESET with incomplete TLS handshake - generating errSSLClosedNoNotify"]
        case (.ios9, _), (.ios10, _), (.ios11, _), (.ios12, _), (.ios13to15, _), (.ios16to18, _), (.ios26, _),
            (.ios27, _):
            []
        }
    }

    /// The library's own error numbers are recorded only for alert 40.
    private func alertLines(_ alert: UInt8, line: Int) -> [String] {
        let numbers = [
            "10000410:SSL routines:OPENSSL_internal:SSLV3_ALERT_HANDSHAKE_FAILURE:...:SSL alert number 40",
            "1000009a:SSL routines:OPENSSL_internal:HANDSHAKE_FAILURE_ON_CLIENT_HELLO:...",
        ]
        // One log of 17 or 18 with alert 80.
        let isNewForm = device.release >= OSVersion(17)
        let printed = numbers.map { boringSSL("boringssl_session_handshake_error_print(111)") + "...:error:\($0)" }
        return [
            boringSSL("boringssl_context_handle_fatal_alert(\(line))")
                + "read alert, level: fatal, description: \(AlertStatus.of(alert).name)"
        ]
            + (isNewForm ? [boringSSL("boringssl_session_handshake_incomplete(244)") + "SSL library error"] : [])
            + (alert == 40 ? printed : [])
            + [
                boringSSL("nw_protocol_boringssl_handshake_negotiate_proceed(726)")
                    + "handshake failed at state 12288" + (isNewForm ? ": not completed" : "")
            ]
            + (isNewForm
                ? ["nw_endpoint_flow_failed_with_error [C\(identifiers.connection).1 ...] already failing, returning"]
                : [])
    }

    /// The beginning of a line: the tag, the function with its line number, and the flow.
    private func boringSSL(_ function: String) -> String {
        let tag =
            switch generation {
            case .ios9, .ios10, .ios11, .ios12, .ios13to15: "BoringSSL"
            case .ios16to18, .ios26, .ios27: "boringssl"
            }
        return "[\(tag)] \(function) [C\(identifiers.connection).1:2][0x...] "
    }
}

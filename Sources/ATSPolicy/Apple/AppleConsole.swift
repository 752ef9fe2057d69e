/// Writes a failure as a device of one log generation reports it.
struct AppleConsole {
    let target: LoadTarget
    let urlText: String
    let device: AppleDevice
    let identifiers: LogIdentifiers

    var generation: OSProfile.LogGeneration { device.generation }

    /// `Task <U>.<n>` of docs/console-lines.md.
    var task: String { "Task <\(identifiers.task)>.<\(identifiers.taskIndex)>" }
    var connection: String { "Connection \(identifiers.connection)" }

    /// Observations on 16-18 are assumed to hold on 26 and 27 (inferred; docs/console-lines.md).
    func confidence(_ observed: Confidence) -> Confidence {
        generation == .ios26 || generation == .ios27 ? .inferred : observed
    }

    static let urlDomain = "NSURLErrorDomain"

    /// -1022: there was no connection, so there is no stream error (docs/law/errors.md#userinfo). Lines as in
    /// docs/console-lines.md#cleartext (observed).
    func cleartext() -> AppleError {
        let code = -1022
        let message =
            "The resource could not be loaded because the App Transport Security policy requires the use of a secure "
            + "connection."
        let last = finished(code, message, userInfo: .cleartext(self, code: code, message: message))
        let ownWords = shows(.webView) ? [printed(code, message, .ofWebView(self, code: code, message: message))] : []
        let log =
            switch generation {
            case .ios9, .ios10: [oldCleartextLine] + ownWords
            case .ios11: [oldCleartextLine, connectionFinished(code)]
            case .ios12: [oldCleartextLine, cannotStart, finished(code)]
            case .ios13to15: [oldCleartextLine, cannotStart, last]
            case .ios16to18, .ios26, .ios27: [cleartextLine, cannotStart, last]
            }
        return AppleError(
            domain: Self.urlDomain, code: code,
            constant: "NSURLErrorAppTransportSecurityRequiresSecureConnection", message: message,
            log: withoutTask(log, code: code),
            confidence: cleartextConfidence)
    }

    /// No report shows NSURLConnection's line since 13.
    private var cleartextConfidence: Confidence {
        if shows(.connection), generation == .ios13to15 { return .inferred }
        return shows(.webView) ? .observedOnce : .observed
    }

    private var oldCleartextLine: String {
        "App Transport Security has blocked a cleartext HTTP (http://) resource load since it is insecure. Temporary "
            + "exceptions can be configured via your app's Info.plist file."
    }

    private var cleartextLine: String {
        "App Transport Security has blocked a cleartext HTTP connection to \(target.host) since it is insecure. "
            + "Use HTTPS instead or add this domain to Exception Domains in your Info.plist."
    }

    private var cannotStart: String { "Cannot start load of \(task) since it does not conform to ATS policy" }

    /// The app's own code rejected the certificate. Source: Apple, URLSession.AuthChallengeDisposition
    /// cancelAuthenticationChallenge; no public log shows it.
    func cancelled() -> AppleError {
        AppleError(
            domain: Self.urlDomain, code: -999, constant: "NSURLErrorCancelled", message: "cancelled",
            confidence: .inferred)
    }

    /// Text of -1200 (observed; docs/law/errors.md#codes).
    var secureConnectionFailed: String {
        switch generation {
        case .ios9, .ios10, .ios11, .ios12, .ios13to15, .ios16to18:
            "An SSL error has occurred and a secure connection to the server cannot be made."
        case .ios26, .ios27: "A TLS error caused the secure connection to fail."
        }
    }

    /// An NSError with a code of kCFStreamErrorDomainSSL.
    func sslError(
        _ code: Int, _ status: StreamStatus, message: String, detail: Int?, log: [String]
    ) -> AppleError {
        AppleError(
            domain: Self.urlDomain, code: code,
            constant: code == -1202 ? "NSURLErrorServerCertificateUntrusted" : "NSURLErrorSecureConnectionFailed",
            message: message, stream: AppleError.Stream(status, detail: detail), log: log,
            confidence: confidence(status.confidence))
    }
}

extension AppleError.Stream {
    /// A status of kCFStreamErrorDomainSSL.
    init(_ status: StreamStatus, detail: Int? = nil) {
        self.init(domain: StreamStatus.domain, code: status.code, constant: status.constant, detail: detail)
    }
}

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

/// The variants of docs/console-lines.md#variants.
extension AppleConsole {
    func shows(_ variant: ConsoleVariant) -> Bool {
        device.readings.variants.contains(variant) && variant.isKnown(on: device.release)
    }

    /// An app on NSURLConnection has no task, and prints one line for the failure.
    func withoutTask(_ log: [String], code: Int) -> [String] {
        guard shows(.connection) else { return log }
        return log.filter { !$0.contains(task) && $0 != connectionFinished(code) } + [connectionFinished(code)]
    }

    /// 11 and 12.
    func connectionFinished(_ code: Int) -> String { "NSURLConnection finished with error - code \(code)" }
}

/// A variant of the console's lines that was seen in addition to the usual one. Its cause is not visible in a device's
/// traffic, so it is shown only on request: `--reading console-variants`. Source: docs/console-lines.md#variants.
public enum ConsoleVariant: String, Sendable, Hashable, CaseIterable {
    /// 11 to 15, an app on NSURLConnection: one line instead of those about a task. Source: public logs of -1202 on 11
    /// to 15 and of -1022 on 11 and 12.1 (observed); -1022 on 13 to 15 (inferred).
    case connection = "nsurlconnection"
    /// 15: *strict* instead of *system* in the trust line, and no `ATS failed system trust` before it. Source: Apple
    /// developer forums, thread 703283 (observed once).
    case strictTrust = "strict-trust"
    /// 13 and later: additional lines of the unified log when ATS blocks a load. Source: FlatFold's notes on pinning
    /// (26), GitHub, VelaTerm issue 77 (27), blacktop/ipsw-diffs, 26.5 to 27.0 (observed once); 13 to 18 inferred.
    case unifiedLog = "unified-log"
    /// 9, a web view: the error itself, as printed by an app that logs it; the underlying error has the full
    /// description. Source: GitHub, bowser issue 54 (observed once).
    case webView = "web-view"

    /// True if the variant replaces the usual lines; the others add lines.
    var isAlternative: Bool {
        switch self {
        case .connection, .strictTrust: true
        case .unifiedLog, .webView: false
        }
    }

    /// True if a release has the variant.
    func isKnown(on release: OSVersion) -> Bool {
        switch self {
        case .connection: 11...15 ~= release.major
        case .strictTrust: release.major == 15
        case .unifiedLog: release.major >= 13
        case .webView: release.major == 9
        }
    }
}

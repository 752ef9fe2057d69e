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
}

extension AppleConsole {
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
}

extension AppleConsole {
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

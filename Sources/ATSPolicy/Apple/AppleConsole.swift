/// Writes one failure as a device of one log generation does.
struct AppleConsole {
    let target: LoadTarget
    let urlText: String
    let generation: OSProfile.LogGeneration
    let identifiers: LogIdentifiers

    /// `Task <U>.<n>` of 6.6.
    var task: String { "Task <\(identifiers.task)>.<\(identifiers.taskIndex)>" }
    var connection: String { "Connection \(identifiers.connection)" }

    /// What was observed on 16-18 is taken over for 26 (6.6 `[I]`).
    func confidence(_ observed: Confidence) -> Confidence {
        generation == .ios26 ? .inferred : observed
    }

    /// The last line of a failed task, as printed since iOS 13 (6.6 `[O]`).
    func finished(_ code: Int, _ message: String, userInfo: UserInfo) -> String {
        "\(task) finished with error [\(code)] Error Domain=\(Self.urlDomain) Code=\(code) \"\(message)\" "
            + "UserInfo=\(userInfo.text)"
    }

    static let urlDomain = "NSURLErrorDomain"
}

extension AppleConsole {
    /// -1022: nothing was connected, so there is no stream error (6.5). Lines of 16-26 (6.6 `[O]`).
    func cleartext() -> AppleError {
        let message =
            "The resource could not be loaded because the App Transport Security policy requires the use of a secure "
            + "connection."
        let code = -1022
        let log = [
            "App Transport Security has blocked a cleartext HTTP connection to \(target.host) since it is insecure. "
                + "Use HTTPS instead or add this domain to Exception Domains in your Info.plist.",
            "Cannot start load of \(task) since it does not conform to ATS policy",
            finished(code, message, userInfo: .cleartext(self, code: code, message: message)),
        ]
        return AppleError(
            domain: Self.urlDomain, code: code,
            constant: "NSURLErrorAppTransportSecurityRequiresSecureConnection", message: message, log: log,
            confidence: .observed)
    }
}

extension AppleConsole {
    /// Text of -1200 (6.1 `[O]`).
    var secureConnectionFailed: String {
        switch generation {
        case .ios16to18: "An SSL error has occurred and a secure connection to the server cannot be made."
        case .ios26: "A TLS error caused the secure connection to fail."
        }
    }

    /// An NSError with a number of kCFStreamErrorDomainSSL.
    func sslError(
        _ code: Int, _ status: StreamStatus, message: String, detail: Int?, log: [String]
    ) -> AppleError {
        AppleError(
            domain: Self.urlDomain, code: code,
            constant: code == -1202 ? "NSURLErrorServerCertificateUntrusted" : "NSURLErrorSecureConnectionFailed",
            message: message, streamErrorDomain: StreamStatus.domain, streamErrorCode: status.code,
            streamErrorConstant: status.constant, detailCode: detail, log: log,
            confidence: confidence(status.confidence))
    }
}

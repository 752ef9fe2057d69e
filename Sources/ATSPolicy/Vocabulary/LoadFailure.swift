/// The kind of failure that the app would see: the key of the table of Apple's errors (docs/law/errors.md#by-failure).
public enum LoadFailure: Sendable, Hashable {
    /// A cleartext load that ATS denies.
    case cleartext
    /// The certificate was rejected. `isStrict` is true if ATS insisted, so that no delegate can override it
    /// (docs/law/rulings.md#demands, docs/law/addresses.md#https-to-local-hosts).
    case trust(RuleID, isStrict: Bool)
    /// The handshake broke; `rule` is the reason that a diagnosis found, if any.
    case handshake(HandshakeFailure, rule: RuleID?)
    case network(NetworkFailure)
    /// The origin was lost after it was reached; with TLS, after a handshake that breaks no rule.
    case lost(LostConnection)
    /// The origin answered with invalid HTTP.
    case malformedAnswer
}

/// The error that Apple's systems report to an app and on the console.
public struct AppleError: Sendable, Hashable {
    public var domain: String
    public var code: Int
    /// Name of `code`, for example `NSURLErrorSecureConnectionFailed`.
    public var constant: String
    /// NSLocalizedDescription.
    public var message: String
    public var stream: Stream
    /// Lines that a device with that release prints, in order.
    public var log: [String]
    public var confidence: Confidence

    public init(
        domain: String, code: Int, constant: String, message: String, stream: Stream = Stream(), log: [String] = [],
        confidence: Confidence
    ) {
        self.domain = domain
        self.code = code
        self.constant = constant
        self.message = message
        self.stream = stream
        self.log = log
        self.confidence = confidence
    }
}

extension AppleError {
    /// The stream part of the error, if it has one.
    public struct Stream: Sendable, Hashable {
        /// 3 is kCFStreamErrorDomainSSL.
        public var domain: Int?
        public var code: Int?
        /// Name of `code`, for example `errSSLHandshakeFail`.
        public var constant: String?
        /// The private -988x number; never part of `log` (docs/law/errors.md#stream-codes).
        public var detail: Int?

        public init(domain: Int? = nil, code: Int? = nil, constant: String? = nil, detail: Int? = nil) {
            self.domain = domain
            self.code = code
            self.constant = constant
            self.detail = detail
        }
    }

    public var streamErrorDomain: Int? { stream.domain }
    public var streamErrorCode: Int? { stream.code }
    public var streamErrorConstant: String? { stream.constant }
    public var detailCode: Int? { stream.detail }

    /// The codes as developers quote them: `-1200 [3:-9802]`, or just `-1022`. Source: public logs;
    /// docs/console-lines.md.
    public var codes: String { Self.codes(code, streamErrorDomain, streamErrorCode) }

    /// Formats the codes of an error in the same way.
    public static func codes(_ code: Int, _ streamErrorDomain: Int?, _ streamErrorCode: Int?) -> String {
        guard let streamErrorDomain, let streamErrorCode else { return String(code) }
        return "\(code) [\(streamErrorDomain):\(streamErrorCode)]"
    }
}

/// Identifiers in Apple's log lines, passed in so that ATSPolicy needs no randomness.
public struct LogIdentifiers: Sendable, Hashable {
    /// Upper-case UUID of the task.
    public var task: String
    public var taskIndex: Int
    public var connection: Int

    public init(task: String, taskIndex: Int, connection: Int) {
        self.task = task
        self.taskIndex = taskIndex
        self.connection = connection
    }
}

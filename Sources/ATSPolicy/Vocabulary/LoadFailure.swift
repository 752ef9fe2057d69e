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

/// The end of a connection to an origin before its response was complete.
///
/// Create one wherever a load fails because its origin went away: `LoadFailure.lost(LostConnection(.reset,
/// clientCertificate: facts.clientCertificate, answerBegan: false))`. The error of a device is then
/// ``AppleErrorTable/error(for:target:urlText:profile:facts:identifiers:readings:)`` of it, as for every
/// ``LoadFailure``. A load that fails because of the client or the gate has no ``LoadFailure`` and no error.
public struct LostConnection: Sendable, Hashable {
    public enum End: Sendable, Hashable {
        /// A fatal TLS alert, by its number (RFC 8446 section 6.2).
        case alert(UInt8)
        /// A TCP reset, or any other error of the socket.
        case reset
        /// The origin closed the connection, with or without a TLS close_notify.
        case closed
        /// The origin was silent for too long.
        case timeout
    }

    public var end: End
    /// The answer to the origin's request for a client certificate; nil if it made none, or without TLS.
    public var clientCertificate: ClientCertificateUse?
    /// True if part of the response had arrived.
    public var answerBegan: Bool

    public init(_ end: End, clientCertificate: ClientCertificateUse? = nil, answerBegan: Bool) {
        self.end = end
        self.clientCertificate = clientCertificate
        self.answerBegan = answerBegan
    }
}

/// macOS 15 and later allow a program to reach the local network only with the user's consent.
///
/// Source: Apple TN3179, "Understanding local network privacy". That a denial looks like a missing route is inferred;
/// docs/macos.md#local-network.
public enum LocalNetworkPrivacy {
    /// Returns a hint to append to the text of an errno from a dial; empty if local network privacy cannot be the
    /// cause.
    ///
    /// - Parameter isMac: true if the gate runs on macOS.
    public static func hint(errno: Int32, isMac: Bool = isThere) -> String {
        guard isMac, errno == noRoute else { return "" }
        return "; if it is on the local network, check System Settings > Privacy & Security > Local Network"
    }

    /// True on systems with local network privacy.
    public static var isThere: Bool {
        #if os(macOS)
        true
        #else
        false
        #endif
    }

    /// EHOSTUNREACH on macOS: sys/errno.h.
    private static let noRoute: Int32 = 65
}

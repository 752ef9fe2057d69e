/// How a client treated an origin in a TLS conversation that passed unopened, and the evidence for it.
public struct ConversationOutcome: Sendable, Hashable {
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The client continued and used the connection.
        case accepted
        /// The client left before using the connection, after it saw the origin's answer.
        case refused
        case unknown
    }

    /// The observed evidence. Raw values are stored and shown: never rename one, only add.
    public enum Sign: String, Sendable, Hashable, CaseIterable {
        case applicationData = "application-data"
        /// Application data in a resumed session, which shows no certificate.
        case resumedSession = "resumed-session"
        /// An HTTP request without TLS: the client loaded anyway.
        case cleartextRequest = "cleartext-request"
        /// An unencrypted alert of the client.
        case alert
        /// A record of the size of an encrypted alert, instead of the client's Finished.
        case sealedAlert = "sealed-alert"
        /// Closed after the origin's certificate, without an alert.
        case closedInHandshake = "closed-in-handshake"
        /// The handshake finished, and the client closed immediately afterwards.
        case closedBeforeRequest = "closed-before-request"
        /// The origin accepted none of the versions, suites or protocols in the client's hello.
        case helloTurnedDown = "hello-turned-down"
        case noHello = "no-hello"
        case leftBeforeAnswer = "left-before-answer"
        /// TLS 1.3: after the origin's certificate the client sent records of ambiguous sizes, and left.
        case unclearRecords = "unclear-records"
        /// One side's bytes are not readable TLS.
        case unreadable
        case canceled
        /// The handshake finished, and the connection stayed idle for a while.
        case unused
        case originAlert = "origin-alert"
        case originClosed = "origin-closed"
        case notReached = "not-reached"
        case notTLS = "not-tls"
        /// The conversation had not ended yet.
        case unfinished
    }

    public let outcome: Outcome
    public let sign: Sign
    /// The number of the alert, if it was unencrypted.
    public let alert: UInt8?
    /// True if the outcome follows from the protocol; false if it is inferred from sizes and the usual behaviour of
    /// clients.
    public let isCertain: Bool

    public init(_ outcome: Outcome, _ sign: Sign, alert: UInt8? = nil, isCertain: Bool) {
        self.outcome = outcome
        self.sign = sign
        self.alert = alert
        self.isCertain = isCertain
    }

    /// Returns an outcome that leaves open how the client treated the origin.
    public static func unknown(_ sign: Sign, alert: UInt8? = nil) -> ConversationOutcome {
        ConversationOutcome(.unknown, sign, alert: alert, isCertain: true)
    }

    /// The sign as in records, followed by the alert's number.
    public var how: String { alert.map { "\(sign.rawValue)-\($0)" } ?? sign.rawValue }
}

/// What a client did with an origin in a TLS conversation that nobody opened, and what tells it.
public struct ConversationOutcome: Sendable, Hashable {
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// It went on and used the connection.
        case accepted
        /// It left before it had used it, once the origin had shown itself.
        case refused
        case unknown
    }

    /// What was seen. Raw values are stored and shown: never rename one, only add.
    public enum Sign: String, Sendable, Hashable, CaseIterable {
        case applicationData = "application-data"
        /// The same in an earlier session, in which no certificate is shown.
        case resumedSession = "resumed-session"
        /// A request in the clear, outside of TLS: the load was made.
        case cleartextRequest = "cleartext-request"
        /// Of the client, in the clear.
        case alert
        /// A record of the size of an encrypted alert, in the place of the client's Finished.
        case sealedAlert = "sealed-alert"
        /// Without an alert, behind the origin's certificate.
        case closedInHandshake = "closed-in-handshake"
        /// The handshake was finished, and at once left.
        case closedBeforeRequest = "closed-before-request"
        /// The origin found nothing in the client's hello that it would agree to.
        case helloTurnedDown = "hello-turned-down"
        case noHello = "no-hello"
        case leftBeforeAnswer = "left-before-answer"
        /// TLS 1.3: it said something behind the origin's certificate, whose sizes do not tell what, and left.
        case unclearRecords = "unclear-records"
        /// What one of the sides said is no TLS, or none that can be read.
        case unreadable
        case canceled
        /// The handshake was finished, and the connection not used for a while.
        case unused
        case originAlert = "origin-alert"
        case originClosed = "origin-closed"
        case notReached = "not-reached"
        case notTLS = "not-tls"
        /// It was still going on.
        case unfinished
    }

    public let outcome: Outcome
    public let sign: Sign
    /// Number of the alert, for those in the clear.
    public let alert: UInt8?
    /// It follows from what the protocol lets a client send; else from sizes and what clients are known to do.
    public let isCertain: Bool

    public init(_ outcome: Outcome, _ sign: Sign, alert: UInt8? = nil, isCertain: Bool) {
        self.outcome = outcome
        self.sign = sign
        self.alert = alert
        self.isCertain = isCertain
    }

    /// Nothing can be said of the client.
    public static func unknown(_ sign: Sign, alert: UInt8? = nil) -> ConversationOutcome {
        ConversationOutcome(.unknown, sign, alert: alert, isCertain: true)
    }

    /// As records have it: the sign, with the alert's number behind it.
    public var how: String { alert.map { "\(sign.rawValue)-\($0)" } ?? sign.rawValue }
}

/// Watches a TLS conversation that passes unopened, and reports whether the client accepted the origin: it uses the
/// connection, or leaves.
///
/// Up to TLS 1.2 the types of all records are visible (RFC 5246 section 6.2.1), and so are alerts before the cipher
/// change. In TLS 1.3 only record lengths differ (``SealedRecords``). Memory is bounded by ``OriginFlight``. The result
/// does not depend on how the bytes are split.
public struct ConversationWatch {
    private enum End {
        case client(ticks: Int64)
        case origin
    }

    private var clientRecords = RecordWalk()
    private var originRecords = RecordWalk()
    private var flight = OriginFlight()
    /// The latest observation of the origin's unencrypted bytes.
    public private(set) var originObservation = OriginFlight.Observation.going
    private var clientSpoke = false
    /// The origin's encrypted records, and their bytes since the last client record that counts.
    private var originSealed = 0
    private var answeredBytes = 0
    private var hasChangedCipher = false
    private var hasData = false
    /// The client's unencrypted alert.
    private var alert: UInt8?
    private var hasEarlyData = false
    private var sealed: SealedRecords?
    private var finishedTicks: Int64?
    private var end: End?

    public init() {}

    /// Reads bytes that the client sent.
    ///
    /// - Parameter ticks: the time in microseconds.
    public mutating func clientSent(_ bytes: UnsafeRawBufferPointer, at ticks: Int64) {
        guard !bytes.isEmpty else { return }
        clientSpoke = true
        var found: [RecordWalk.Record] = []
        clientRecords.read(bytes) { found.append($0) }
        for record in found { client(record, at: ticks) }
    }

    /// Reads bytes that the origin sent.
    ///
    /// - Returns: true if ``originObservation`` changed.
    @discardableResult
    public mutating func originSent(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var found: [RecordWalk.Record] = []
        originRecords.read(bytes) { found.append($0) }
        for record in found {
            switch record.type {
            case RecordWalk.data:
                originSealed += 1
                answeredBytes += record.length
            case RecordWalk.alert: if record.isEnd { originEnded() }
            default: break
            }
        }
        return readFlight(bytes)
    }

    /// Reads the flight; again after a HelloRetryRequest, because the bytes after it may be buffered already.
    private mutating func readFlight(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let before = originObservation
        var observation = flight.read(bytes)
        if case .retry = observation {
            let next = flight.read(UnsafeRawBufferPointer(start: nil, count: 0))
            if next != .going { observation = next }
        }
        if observation != .going { originObservation = observation }
        if case .sealed(_, let suite) = originObservation, sealed == nil {
            sealed = SealedRecords(suite: suite)
            if hasEarlyData { sealed?.noteEarlyData() }
        }
        return originObservation != before
    }

    /// Records that the client ended its side or broke the connection. Only the first end counts.
    public mutating func clientEnded(at ticks: Int64) { if end == nil { end = .client(ticks: ticks) } }

    /// Records that the origin ended its side or broke the connection. Only the first end counts.
    public mutating func originEnded() { if end == nil { end = .origin } }

    // MARK: Records of the client

    private mutating func client(_ record: RecordWalk.Record, at ticks: Int64) {
        switch record.type {
        case RecordWalk.alert: clientSentAlert(record, at: ticks)
        case RecordWalk.change: changedCipher()
        case RecordWalk.handshake:
            guard hasChangedCipher, sealed == nil else { return }
            finishedTicks = ticks
        default: readSealed(record, at: ticks)
        }
    }

    /// In TLS 1.3 this record only serves middleboxes, and may come before a second hello or early data (RFC 8446
    /// appendix D.4). Up to TLS 1.2 it comes after the origin's answer (RFC 5246 section 7.3).
    private mutating func changedCipher() {
        switch originObservation {
        case .shown, .resumed: hasChangedCipher = true
        case .going, .retry, .sealed, .refused, .unreadable: break
        }
    }

    private mutating func clientSentAlert(_ record: RecordWalk.Record, at ticks: Int64) {
        // An encrypted alert is the last record of the client, if its length shows that it is one.
        guard !hasChangedCipher || sealed != nil, record.length == 2 else { return clientEnded(at: ticks) }
        let number = record.start[1]
        guard record.isEnd || number == TLSAlert.userCanceled || sealed != nil else { return }
        // This close_notify answers the origin's own end.
        if number == TLSAlert.closeNotify, case .origin? = end { return }
        // An alert before close_notify is the reason.
        if alert == nil { alert = number }
        if number != TLSAlert.userCanceled { clientEnded(at: ticks) }
    }

    private mutating func readSealed(_ record: RecordWalk.Record, at ticks: Int64) {
        guard sealed != nil else {
            if hasChangedCipher { hasData = true } else { hasEarlyData = true }
            return
        }
        let before = sealed?.state
        sealed?.read(record.length, originSpoke: answeredBytes > 0)
        if before == .nothing { answeredBytes = 0 }
        switch sealed?.state {
        case .finished: if before != .finished { finishedTicks = ticks }
        case .data(records: 1), .shaking: answeredBytes = 0
        case .finishedThenAlert: clientEnded(at: ticks)
        case .nothing, .alert, .data, nil: break
        }
    }

    // MARK: Outcome

    /// True if the client uses the connection and no later byte can change the outcome.
    public var isSettled: Bool {
        switch sealed?.state {
        case .data(let records): hasData || records > 1 || answeredBytes >= Self.enoughAnswer
        case .nothing, .alert, .shaking, .finished, .finishedThenAlert, nil: hasData || isAnswered
        }
    }

    /// True if sizes do not show the end of the handshake, but the conversation goes beyond one. The client sent
    /// records after the origin's flight, and the origin answered with more than it sends without a request.
    private var isAnswered: Bool {
        guard case .shaking(let records)? = sealed?.state else { return false }
        // The first record may be early data, which the flight does not answer.
        return records > (hasEarlyData ? 1 : 0) && answeredBytes >= Self.enoughAnswer
    }

    /// The outcome so far, for a conversation that ended or is no longer watched.
    public var outcome: ConversationOutcome {
        if hasData {
            guard case .resumed = originObservation else {
                return ConversationOutcome(.accepted, .applicationData, isCertain: true)
            }
            return ConversationOutcome(.accepted, .resumedSession, isCertain: false)
        }
        if case .data(let records)? = sealed?.state {
            // An alert is the last record of a side (RFC 8446 section 6.1), so the first of two is not an alert.
            return ConversationOutcome(.accepted, .applicationData, isCertain: records > 1 && !hasEarlyData)
        }
        if isAnswered { return ConversationOutcome(.accepted, .applicationData, isCertain: false) }
        if let alert { return outcome(afterClientAlert: alert) }
        if case .refused(let alert) = originObservation { return outcome(afterOriginAlert: alert) }
        guard clientSpoke else { return .unknown(.noHello) }
        return silentEnd
    }

    /// The outcome after the client's alert. Source: RFC 5246 section 7.2, RFC 8446 section 6.
    private func outcome(afterClientAlert alert: UInt8) -> ConversationOutcome {
        switch alert {
        case TLSAlert.userCanceled: .unknown(.canceled, alert: alert)
        // An error of the client's own.
        case TLSAlert.internalError: ConversationOutcome(.refused, .alert, alert: alert, isCertain: false)
        case TLSAlert.closeNotify: hasSeenOrigin ? refused(.closedInHandshake) : .unknown(.leftBeforeAnswer)
        default: ConversationOutcome(.refused, .alert, alert: alert, isCertain: true)
        }
    }

    /// The outcome after the origin's alert. If the hellos have nothing in common, the client would not have accepted
    /// the origin either; other alerts have reasons of the origin.
    private func outcome(afterOriginAlert alert: UInt8) -> ConversationOutcome {
        guard TLSAlert.nothingInCommon.contains(alert) else { return .unknown(.originAlert, alert: alert) }
        return ConversationOutcome(.refused, .helloTurnedDown, alert: alert, isCertain: false)
    }

    private func refused(_ sign: ConversationOutcome.Sign) -> ConversationOutcome {
        ConversationOutcome(.refused, sign, isCertain: false)
    }

    /// The outcome without an unencrypted alert.
    private var silentEnd: ConversationOutcome {
        if isUnreadable { return .unknown(.unreadable) }
        if sealed?.state == .alert { return refused(.sealedAlert) }
        guard let end else { return .unknown(.unfinished) }
        guard case .client(let ticks) = end else { return .unknown(.originClosed) }
        if let finishedTicks {
            return ticks - finishedTicks < Self.atOnceTicks ? refused(.closedBeforeRequest) : .unknown(.unused)
        }
        guard hasSeenOrigin else { return .unknown(.leftBeforeAnswer) }
        if case .shaking? = sealed?.state { return .unknown(.unclearRecords) }
        return hasEarlyData ? .unknown(.leftBeforeAnswer) : refused(.closedInHandshake)
    }

    /// True if one side's bytes could not be parsed.
    private var isUnreadable: Bool {
        clientRecords.isBroken || originRecords.isBroken || originObservation == .unreadable
    }

    /// True if the client has seen the certificate that it may reject. In TLS 1.3, any encrypted record of the origin
    /// counts.
    private var hasSeenOrigin: Bool {
        switch originObservation {
        case .shown: true
        case .sealed: originSealed > 0
        case .going, .retry, .resumed, .refused, .unreadable: false
        }
    }

    /// In microseconds: a connection that was opened in advance stays open longer.
    private static let atOnceTicks: Int64 = 1_000_000
    /// Bytes that an origin only sends in answer to a request: session tickets are shorter.
    private static let enoughAnswer = 65_536
}

extension RecordWalk.Record {
    /// True if this alert ends its side. An unencrypted warning does not, except close_notify (RFC 5246 section 7.2).
    /// An encrypted alert counts as an end: its level is hidden, and no client sends warnings there.
    fileprivate var isEnd: Bool {
        length != 2 || start[0] != TLSAlert.warning || start[1] == TLSAlert.closeNotify
    }
}

/// Alert numbers. Source: RFC 8446 section 6, RFC 5246 section 7.2, RFC 7301 section 3.2.
private enum TLSAlert {
    static let warning: UInt8 = 1
    static let closeNotify: UInt8 = 0
    static let internalError: UInt8 = 80
    static let userCanceled: UInt8 = 90
    /// handshake_failure, protocol_version, insufficient_security, no_application_protocol.
    static let nothingInCommon: Set<UInt8> = [40, 70, 71, 120]
}

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

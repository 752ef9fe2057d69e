/// Watches a TLS conversation that passes unopened, and says what the client made of the origin: it goes on and uses the
/// connection, or it leaves.
///
/// Up to TLS 1.2 the types of all records are in the clear (RFC 5246 section 6.2.1), and so are alerts before the ciphers
/// change. Of TLS 1.3 only lengths can be told apart (``SealedWords``). Memory is that of ``OriginFlight``; what it says
/// is the same however the bytes are cut.
public struct ConversationWatch {
    private enum End {
        case client(ticks: Int64)
        case origin
    }

    private var clientRecords = RecordWalk()
    private var originRecords = RecordWalk()
    private var flight = OriginFlight()
    /// What the origin has shown in the clear so far.
    public private(set) var originSight = OriginFlight.Sight.going
    private var clientSpoke = false
    /// Encrypted records of the origin, and bytes in them since the client's first or last one that counts.
    private var originSealed = 0
    private var answeredBytes = 0
    private var hasChangedCipher = false
    private var hasFinished = false
    private var hasData = false
    /// In the clear.
    private var alert: UInt8?
    private var hasEarlyData = false
    private var sealed: SealedWords?
    private var finishedTicks: Int64?
    private var end: End?

    public init() {}

    /// - Parameter ticks: the time in microseconds.
    public mutating func clientSent(_ bytes: UnsafeRawBufferPointer, at ticks: Int64) {
        guard !bytes.isEmpty else { return }
        clientSpoke = true
        var found: [RecordWalk.Record] = []
        clientRecords.read(bytes) { found.append($0) }
        for record in found { client(record, at: ticks) }
    }

    /// - Returns: whether ``originSight`` has changed.
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
        return lookAgain(bytes)
    }

    /// What stood behind a HelloRetryRequest may be here already.
    private mutating func lookAgain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let before = originSight
        var sight = flight.read(bytes)
        if case .retry = sight {
            let next = flight.read(UnsafeRawBufferPointer(start: nil, count: 0))
            if next != .going { sight = next }
        }
        if sight != .going { originSight = sight }
        if case .sealed(_, let suite) = originSight, sealed == nil {
            sealed = SealedWords(suite: suite)
            if hasEarlyData { sealed?.noteEarlyData() }
        }
        return originSight != before
    }

    /// The client ended its side, or broke the connection. What ends first counts.
    public mutating func clientEnded(at ticks: Int64) { if end == nil { end = .client(ticks: ticks) } }

    /// The same of the origin.
    public mutating func originEnded() { if end == nil { end = .origin } }

    // MARK: Records of the client

    private mutating func client(_ record: RecordWalk.Record, at ticks: Int64) {
        switch record.type {
        case RecordWalk.alert: heard(record, at: ticks)
        case RecordWalk.change: changedCipher()
        case RecordWalk.handshake:
            guard hasChangedCipher, sealed == nil else { return }
            hasFinished = true
            finishedTicks = ticks
        default: readSealed(record, at: ticks)
        }
    }

    /// TLS 1.3 has records of this type for the sake of boxes in between, before a second hello and before early data, too
    /// (RFC 8446 appendix D.4); up to TLS 1.2 the origin has answered before (RFC 5246 section 7.3).
    private mutating func changedCipher() {
        switch originSight {
        case .shown, .resumed: hasChangedCipher = true
        case .going, .retry, .sealed, .refused, .unreadable: break
        }
    }

    private mutating func heard(_ record: RecordWalk.Record, at ticks: Int64) {
        // One that is encrypted, as long as that shows, is the client's last word.
        guard !hasChangedCipher || sealed != nil, record.length == 2 else { return clientEnded(at: ticks) }
        let number = record.start[1]
        guard record.isEnd || number == TLSAlert.userCanceled || sealed != nil else { return }
        // It answers the origin's own end.
        if number == TLSAlert.closeNotify, case .origin? = end { return }
        // What comes before close_notify is the reason.
        if alert == nil { alert = number }
        if number != TLSAlert.userCanceled { clientEnded(at: ticks) }
    }

    private mutating func readSealed(_ record: RecordWalk.Record, at ticks: Int64) {
        guard sealed != nil else {
            if hasFinished || hasChangedCipher { hasData = true } else { hasEarlyData = true }
            return
        }
        let before = sealed?.standing
        sealed?.read(record.length, originSpoke: answeredBytes > 0)
        if before == .nothing { answeredBytes = 0 }
        switch sealed?.standing {
        case .finished: if before != .finished { finishedTicks = ticks }
        case .data(records: 1), .shaking: answeredBytes = 0
        case .finishedThenAlert: clientEnded(at: ticks)
        case .nothing, .alert, .data, nil: break
        }
    }

    // MARK: What it comes to

    /// No more has to be seen: the client has gone on, and nothing can change that.
    public var isSettled: Bool {
        switch sealed?.standing {
        case .data(let records): hasData || records > 1 || answeredBytes >= Self.enoughAnswer
        case .nothing, .alert, .shaking, .finished, .finishedThenAlert, nil: hasData || isAnswered
        }
    }

    /// Where no size tells the end of the handshake: the client spoke behind the origin's flight, and the origin has said
    /// more to it than to somebody who has asked for nothing.
    private var isAnswered: Bool {
        guard case .shaking(let records)? = sealed?.standing else { return false }
        // The first of them may be early data, which the flight is no answer to.
        return records > (hasEarlyData ? 1 : 0) && answeredBytes >= Self.enoughAnswer
    }

    /// What can be said by now, of a conversation that is over or is not looked at any longer.
    public var outcome: ConversationOutcome {
        if hasData {
            guard case .resumed = originSight else {
                return ConversationOutcome(.accepted, .applicationData, isCertain: true)
            }
            return ConversationOutcome(.accepted, .resumedSession, isCertain: false)
        }
        if case .data(let records)? = sealed?.standing {
            // An alert is the last that a side sends (RFC 8446 section 6.1): one of two records is none.
            return ConversationOutcome(.accepted, .applicationData, isCertain: records > 1 && !hasEarlyData)
        }
        if isAnswered { return ConversationOutcome(.accepted, .applicationData, isCertain: false) }
        if let alert { return left(by: alert) }
        if case .refused(let alert) = originSight { return turnedDown(by: alert) }
        guard clientSpoke else { return .unknown(.noHello) }
        return silentEnd
    }

    /// Source: RFC 5246 section 7.2, RFC 8446 section 6.
    private func left(by alert: UInt8) -> ConversationOutcome {
        switch alert {
        case TLSAlert.userCanceled: .unknown(.canceled, alert: alert)
        // Nothing that the other side could help.
        case TLSAlert.internalError: ConversationOutcome(.refused, .alert, alert: alert, isCertain: false)
        case TLSAlert.closeNotify: hasSeenOrigin ? refused(.closedInHandshake) : .unknown(.leftBeforeAnswer)
        default: ConversationOutcome(.refused, .alert, alert: alert, isCertain: true)
        }
    }

    /// What a client does not offer it would not have taken; other reasons are the origin's own.
    private func turnedDown(by alert: UInt8) -> ConversationOutcome {
        guard TLSAlert.nothingInCommon.contains(alert) else { return .unknown(.originAlert, alert: alert) }
        return ConversationOutcome(.refused, .helloTurnedDown, alert: alert, isCertain: false)
    }

    private func refused(_ sign: ConversationOutcome.Sign) -> ConversationOutcome {
        ConversationOutcome(.refused, sign, isCertain: false)
    }

    /// No word in the clear says why.
    private var silentEnd: ConversationOutcome {
        if isUnreadable { return .unknown(.unreadable) }
        if sealed?.standing == .alert { return refused(.sealedAlert) }
        guard let end else { return .unknown(.unfinished) }
        guard case .client(let ticks) = end else { return .unknown(.originClosed) }
        if let finishedTicks {
            return ticks - finishedTicks < Self.atOnceTicks ? refused(.closedBeforeRequest) : .unknown(.unused)
        }
        guard hasSeenOrigin else { return .unknown(.leftBeforeAnswer) }
        if case .shaking? = sealed?.standing { return .unknown(.unclearRecords) }
        return hasEarlyData ? .unknown(.leftBeforeAnswer) : refused(.closedInHandshake)
    }

    /// One side's words, so that nobody knows what stood behind them.
    private var isUnreadable: Bool {
        clientRecords.isBroken || originRecords.isBroken || originSight == .unreadable
    }

    /// The client has been shown what it may refuse: a certificate, or as far as can be seen the flight that has one.
    private var hasSeenOrigin: Bool {
        switch originSight {
        case .shown: true
        case .sealed: originSealed > 0
        case .going, .retry, .resumed, .refused, .unreadable: false
        }
    }

    /// In microseconds: a connection that was made for later stays open for longer.
    private static let atOnceTicks: Int64 = 1_000_000
    /// Bytes that an origin sends to nobody who has asked for nothing: tickets are shorter.
    private static let enoughAnswer = 65_536
}

extension RecordWalk.Record {
    /// Of an alert: it ends its side. In the clear a warning does not, but for close_notify (RFC 5246 section 7.2); one
    /// that is encrypted does not show, and nobody has a reason for one there.
    fileprivate var isEnd: Bool {
        length != 2 || start[0] != TLSAlert.warning || start[1] == TLSAlert.closeNotify
    }
}

/// Numbers of alerts. Source: RFC 8446 section 6, RFC 5246 section 7.2, RFC 7301 section 3.2.
private enum TLSAlert {
    static let warning: UInt8 = 1
    static let closeNotify: UInt8 = 0
    static let internalError: UInt8 = 80
    static let userCanceled: UInt8 = 90
    /// handshake_failure, protocol_version, insufficient_security, no_application_protocol.
    static let nothingInCommon: Set<UInt8> = [40, 70, 71, 120]
}

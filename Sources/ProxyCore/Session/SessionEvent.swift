public import ATSPolicy
public import Records

/// An event for a session. Bytes are valid only during the call.
public enum SessionEvent {
    case clientBytes(UnsafeRawBufferPointer)
    /// The client has sent everything it will send.
    case clientEnded
    /// The client's connection broke.
    case clientLost
    case originConnected(OriginLink)
    case dialFailed(NetworkFailure)
    case originBytes(OriginLink, UnsafeRawBufferPointer)
    case originEnded(OriginLink, reset: Bool)
    /// ProxyServer spliced bytes to ``ProxySession/clientSplice``; `waiting` of them are pending.
    case clientPassed(count: Int, waiting: Int)
    /// ProxyServer spliced bytes within ``ProxySession/originSpliceLimit(of:)``; `waiting` bytes are pending for the
    /// client.
    case originPassed(OriginLink, count: Int, waiting: Int)
    /// All pending bytes for the client were written.
    case clientDrained
    case originDrained(OriginLink)
    case deadlinePassed(Deadline)
    /// Descriptors run short, and this client has been idle for longer than any other: close it.
    case shed
    /// The loop's memory for unread bytes is spent, and this client has not read for longest.
    case overBudget
    /// The gate is draining: finish the load in flight, start no other.
    case draining
    /// The gate is draining, and the client, between two loads, has already sent more. It is answered first, by the
    /// last load of this connection.
    case drainingUnread
    /// The gate stops now; unfinished loads are recorded as they are.
    case stopping
}

/// An order to ProxyServer.
public enum SessionEffect {
    /// Provide a connection to the permit's target: an idle one if `mayReuse`, else a new one. A session orders one at a
    /// time. Indirect, because all effects are as large as the largest.
    indirect case connect(ConnectPermit, mayReuse: Bool)
    /// Stop connecting; the result is no longer needed.
    case abandonConnect
    /// The link is idle and intact: keep it for another load.
    case keepOrigin(OriginLink)
    case closeOrigin(OriginLink)
    /// Write pending bytes, then close.
    case closeClient
    /// Reset immediately, so that the client cannot mistake the end for a regular one.
    case resetClient
    /// Write pending bytes, then half-close: the client may still be sending.
    case finishClientWriting
    case finishOriginWriting(OriginLink)
    case pauseClient
    case resumeClient
    case pauseOrigin(OriginLink)
    case resumeOrigin(OriginLink)
    case arm(Deadline, Duration)
    case disarm
    case record(LoadRecord)
}

/// The purpose of a session's timer at the moment.
public enum Deadline: Sendable, Hashable {
    /// The rest of a head, or of the first bytes of a tunnel, must arrive.
    case head
    case idle
    case handshake
    case answer
    /// A client that has ended its side still receives a response that comes soon.
    case halfClosed
    case linger
}

public import ATSPolicy
public import Records

/// What happened, told to a session. Bytes are valid only during the call.
public enum SessionEvent {
    case clientBytes(UnsafeRawBufferPointer)
    /// The client has sent everything it will send.
    case clientEnded
    /// The client's connection broke.
    case clientLost
    case originConnected(OriginLink, OriginRole)
    case dialFailed(NetworkFailure, OriginRole)
    case originBytes(OriginLink, UnsafeRawBufferPointer)
    case originEnded(OriginLink, reset: Bool)
    /// Bytes went the way of ``ProxySession/clientSplice``; so many now wait for the origin.
    case clientPassed(count: Int, waiting: Int)
    /// Bytes went the way of ``ProxySession/originSpliceLimit(of:)``; so many now wait for the client.
    case originPassed(OriginLink, count: Int, waiting: Int)
    /// The answer to ``SessionEffect/compare(name:)``.
    case compared(name: String, AddressMatch)
    /// What waited for the client has been written.
    case clientDrained
    case originDrained(OriginLink)
    case deadlinePassed(Deadline)
    /// Descriptors run short, and this client has only waited for longer than any other: it gives way.
    case shed
    /// The gate is draining: finish the load in flight, start no other.
    case draining
    /// The same, and the client, who is between two loads, has said something that follows: it is answered first, by the
    /// last load of this connection.
    case drainingUnread
    /// The gate stops now; whatever is unfinished is recorded as it stands.
    case stopping
}

/// What a connection to an origin is for.
public enum OriginRole: Sendable, Hashable {
    /// It carries the load.
    case main
    /// It only shakes hands: to judge a host that is passed through, or to learn why a handshake failed.
    case probe
}

/// An order to ProxyServer.
public enum SessionEffect {
    /// Hand over a connection to the permit's target: an idle one when `mayReuse`, else a new one. Boxed: all
    /// effects are as large as the largest.
    indirect case connect(ConnectPermit, OriginRole, mayReuse: Bool)
    /// Forget connecting; its answer is no longer wanted.
    case abandonConnect
    /// Tell whether a name leads to the address that a redirected client wanted: within two seconds, and for comparison
    /// only.
    case compare(name: String)
    /// The link is idle and sound: keep it for another load.
    case keepOrigin(OriginLink)
    case closeOrigin(OriginLink)
    /// Write what waits, then close.
    case closeClient
    /// Close at once, so that the client can not take the end for a proper one.
    case resetClient
    /// Write what waits, then half-close: the client may still be sending.
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

/// What a session's one timer stands for at the moment.
public enum Deadline: Sendable, Hashable {
    /// The rest of a head, or of the first bytes of a tunnel, has to come.
    case head
    case idle
    case handshake
    case answer
    /// A client that has ended its side is given the answer if it comes soon.
    case halfClosed
    case linger
}

public import ATSPolicy
import HTTP2Engine
public import Records
import TLSEngine

/// One phase of a client's connection, with its own state. Answers each event with a transition of the session. Events
/// that most phases ignore have a default.
protocol SessionMachine: AnyObject {
    var context: SessionContext { get }
    /// The tunnel that the phase belongs to.
    var tunnel: Tunnel? { get }
    /// True if no load is in flight: the next bytes begin a new one.
    var isBetweenLoads: Bool { get }
    /// True if the client is idle and may be closed when descriptors are running out.
    var onlyWaits: Bool { get }
    /// True if the client's next bytes may be a new load.
    var mayBeginLoad: Bool { get }
    /// True if a writer is paused until the client has read its pending data.
    var awaitsClient: Bool { get }
    /// Bytes of queued bodies and of the heads of open requests.
    var heldBytes: Int { get }
    /// The link whose full outbox pauses the client.
    var awaitedLink: OriginLink? { get }
    /// The link to which the client's next bytes may be spliced unread.
    var clientSplice: OriginLink? { get }

    /// Starts the phase.
    func begin() -> Transition
    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition
    /// The client has sent everything it will send.
    func clientEnded() -> Transition
    func clientLost() -> Transition
    func clientDrained() -> Transition
    func connected(_ link: OriginLink) -> Transition
    func dialFailed(_ failure: NetworkFailure) -> Transition
    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition
    func originEnded(_ link: OriginLink, reset: Bool) -> Transition
    func originDrained(_ link: OriginLink) -> Transition
    func deadlinePassed(_ deadline: Deadline) -> Transition
    /// Closes the client because descriptors run short.
    func shed() -> Transition
    /// Finishes the loads in flight and starts no new ones.
    func drain() -> Transition
    /// Drains while pending bytes from the client may begin a load.
    func drainUnread() -> Transition
    /// The number of the link's next bytes that may be spliced to the client unread; nil for none.
    func originSpliceLimit(of link: OriginLink) -> Int?
    func clientPassed(_ count: Int, waiting: Int)
    func originPassed(_ link: OriginLink, _ count: Int, waiting: Int)
    /// Ends the session: records unfinished loads and releases every link.
    func end(_ reason: EndReason)
}

/// The next state of a session after an event.
enum Transition {
    case stay
    case become(any SessionMachine)
    /// All output was written, and every link released. Waits for the client to read the output before closing.
    case linger
    case close(EndReason, ClientEnd = .proper)
}

/// How the client's connection is closed.
enum ClientEnd {
    case proper
    /// The last response is incomplete, so TLS sends no close_notify.
    case cut
    /// The body ends with the connection, so a regular end would make it look complete.
    case reset
}

extension SessionMachine {
    var isBetweenLoads: Bool { false }
    var onlyWaits: Bool { isBetweenLoads }
    var mayBeginLoad: Bool { isBetweenLoads }
    var awaitsClient: Bool { false }
    var heldBytes: Int { 0 }
    var awaitedLink: OriginLink? { nil }
    var clientSplice: OriginLink? { nil }

    func clientEnded() -> Transition {
        context.client.hasEnded = true
        return clientLost()
    }

    func clientLost() -> Transition { .close(.client(.left)) }
    func clientDrained() -> Transition { .stay }

    /// Returns a link that is no longer needed.
    func connected(_ link: OriginLink) -> Transition {
        context.giveBack(link)
        return .stay
    }

    func dialFailed(_ failure: NetworkFailure) -> Transition { .stay }
    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition { .stay }
    func originEnded(_ link: OriginLink, reset: Bool) -> Transition { .stay }
    func originDrained(_ link: OriginLink) -> Transition { .stay }

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        .close(.client(.stalled(context.loop.policy.rules.limits.duration(of: deadline))))
    }

    func shed() -> Transition { .close(.gate(.shed)) }
    func drain() -> Transition { .stay }
    func drainUnread() -> Transition { .stay }
    func originSpliceLimit(of link: OriginLink) -> Int? { nil }
    func clientPassed(_ count: Int, waiting: Int) {}
    func originPassed(_ link: OriginLink, _ count: Int, waiting: Int) {}
}

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
    /// The links that no load uses are given back.
    case rest
    case handshake
    case answer
    /// A client that has ended its side still receives a response that comes soon.
    case halfClosed
    case linger
}

/// Why a connection ended, grouped by the party that caused it.
enum EndReason {
    /// Everything is recorded already.
    case settled
    case client(Client)
    case origin(Origin)
    case gate(Gate)

    enum Client {
        /// It closed or broke its connection.
        case left
        /// It neither sent nor read anything for this time.
        case stalled(Duration)
    }

    enum Origin {
        case left(reset: Bool)
    }

    enum Gate {
        case stopped
        /// Another connection needed its descriptor.
        case shed
        /// The memory for unread bytes was spent, and this client had not read for longest.
        case overBudget
        case fault(GateFault)
    }

    /// The finding about a load or tunnel that was in flight.
    ///
    /// - Parameter bytes: the bytes of the response so far.
    func finding(after bytes: Int64) -> Finding? {
        switch self {
        case .settled: nil
        case .client(.left): .clientGone(after: bytes)
        case .client(.stalled(let limit)): .clientStalled(limit)
        case .origin(.left(let reset)): .originCut(after: bytes, reset: reset)
        case .gate(.stopped): .gateStopped
        case .gate(.shed): .shed
        case .gate(.overBudget): .overBudget
        case .gate(.fault(let fault)): .gateFault(fault)
        }
    }
}

/// An error of the gate itself, never an imitation of a device.
enum GateFault: Error {
    /// A TLS machine towards the client or an origin could not be set up.
    case tls(TLSSetupError)
    /// No leaf could be minted for this host.
    case leaf(host: String, CertificateError)
    /// An HTTP/2 session could not be created.
    case http2(HTTP2Failure)

    var words: String {
        switch self {
        case .tls(let error): "TLS could not be set up: \(error)."
        case .leaf(let host, let error): "No certificate could be made for \(host): \(error)."
        case .http2(let failure): "HTTP/2 could not be set up: \(failure.words)"
        }
    }
}

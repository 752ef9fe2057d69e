import ATSPolicy
import Records

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
    func shed() -> Transition { .close(.gate(.shed)) }
    func drain() -> Transition { .stay }
    func drainUnread() -> Transition { .stay }
    func originSpliceLimit(of link: OriginLink) -> Int? { nil }
    func clientPassed(_ count: Int, waiting: Int) {}
    func originPassed(_ link: OriginLink, _ count: Int, waiting: Int) {}
}

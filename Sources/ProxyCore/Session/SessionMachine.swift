import ATSPolicy
import Records

/// One phase of a client's connection. Its state is its own; it is handed what it needs and answers each event with
/// what becomes of the session. What it does not care about has a default.
protocol SessionMachine: AnyObject {
    var context: SessionContext { get }
    /// The tunnel that all of it happens in.
    var tunnel: Tunnel? { get }
    /// No load is in flight: the next bytes begin a new one.
    var isBetweenLoads: Bool { get }
    /// The client is idle: it can go when descriptors run short.
    var onlyWaits: Bool { get }
    /// What the client sends next may be a new load.
    var mayBeginLoad: Bool { get }
    /// Something is held back until the client has taken what waits for it.
    var awaitsClient: Bool { get }
    /// The link whose full outbox holds the client back.
    var awaitedLink: OriginLink? { get }
    /// Where the client's next bytes may go as they are: nothing here has to look at them.
    var clientSplice: OriginLink? { get }

    /// The machine is in charge from now on.
    func begin() -> Transition
    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition
    /// The client has sent everything it will send.
    func clientEnded() -> Transition
    func clientLost() -> Transition
    func clientDrained() -> Transition
    func connected(_ link: OriginLink, _ role: OriginRole) -> Transition
    func dialFailed(_ failure: NetworkFailure, _ role: OriginRole) -> Transition
    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition
    func originEnded(_ link: OriginLink, reset: Bool) -> Transition
    func originDrained(_ link: OriginLink) -> Transition
    /// It is known whether a name leads to the address that was wanted.
    func compared() -> Transition
    func deadlinePassed(_ deadline: Deadline) -> Transition
    /// Descriptors run short: the client has to go.
    func shed() -> Transition
    /// Finish what is in flight, start nothing new.
    func drain() -> Transition
    /// The same while bytes of the client, which follow, may begin a load.
    func drainUnread() -> Transition
    /// How many of the link's next bytes may go to the client as they are; nil for none.
    func originSpliceLimit(of link: OriginLink) -> Int?
    func clientPassed(_ count: Int, waiting: Int)
    func originPassed(_ link: OriginLink, _ count: Int, waiting: Int)
    /// The session is over: records what is unfinished and lets go of every link.
    func end(_ reason: EndReason)
}

/// What becomes of a session after an event.
enum Transition {
    case stay
    case become(any SessionMachine)
    /// Everything has been said, and every link let go of: the client may read it before the connection goes.
    case linger
    case close(EndReason, ClientEnd = .proper)
}

/// How the client's connection is closed.
enum ClientEnd {
    case proper
    /// The last answer is not whole, so TLS does not say goodbye.
    case cut
    /// Only the end of the connection ends the body, and a proper end would pass for the whole of it.
    case reset
}

extension SessionMachine {
    var isBetweenLoads: Bool { false }
    var onlyWaits: Bool { isBetweenLoads }
    var mayBeginLoad: Bool { isBetweenLoads }
    var awaitsClient: Bool { false }
    var awaitedLink: OriginLink? { nil }
    var clientSplice: OriginLink? { nil }

    func clientLost() -> Transition { .close(.client(.left)) }
    func clientDrained() -> Transition { .stay }

    /// Nobody waits for a link any more.
    func connected(_ link: OriginLink, _ role: OriginRole) -> Transition {
        context.giveBack(link)
        return .stay
    }

    func dialFailed(_ failure: NetworkFailure, _ role: OriginRole) -> Transition { .stay }
    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition { .stay }
    func originEnded(_ link: OriginLink, reset: Bool) -> Transition { .stay }
    func originDrained(_ link: OriginLink) -> Transition { .stay }
    func compared() -> Transition { .stay }
    func shed() -> Transition { .close(.gate(.shed)) }
    func drain() -> Transition { .stay }
    func drainUnread() -> Transition { .stay }
    func originSpliceLimit(of link: OriginLink) -> Int? { nil }
    func clientPassed(_ count: Int, waiting: Int) {}
    func originPassed(_ link: OriginLink, _ count: Int, waiting: Int) {}
}

import ATSPolicy
public import Bytes
import HTTPWire
public import Records
import TLSEngine

/// One client connection: told what happened, it answers with bytes in outboxes and a list of effects.
///
/// It owns no socket, no clock and no timer. ProxyServer calls ``handle(_:at:)``, carries out
/// ``exchangeEffects(_:)``, and flushes the outboxes. What a connection does is a machine's matter; the session hands
/// it events, and the connection on to the next machine.
public final class ProxySession {
    private let context: SessionContext
    /// nil once the session is closed.
    private var machine: (any SessionMachine)?

    /// One that was redirected wants its connection at once: effects may wait already.
    ///
    /// - Parameters:
    ///   - place: where the client comes from.
    ///   - outbox: bytes for the client's socket.
    public init(loop: LoopContext, client place: ClientPlace, outbox: ByteQueue, at moment: Timestamp) {
        context = SessionContext(loop: loop, place: place, outbox: outbox, at: moment)
        context.arm(.head)
        switch place.entrance {
        case .proxy: machine = HTTP1Client(context)
        case .socks: machine = SOCKSNegotiation(context)
        case .transparent(let original, _):
            let opening = TransparentOpening(context, to: original)
            machine = opening
            apply(opening.begin(), from: opening)
        }
    }

    /// The only way in.
    public func handle(_ event: SessionEvent, at moment: Timestamp) {
        context.now = moment
        guard let machine else { return settleLate(event) }
        apply(transition(of: machine, after: event), from: machine)
    }

    /// The only way out, beside the outboxes: exchanges what is wanted so far for `list`, which must be empty and lends
    /// its storage. Running an effect may lead to more: call until nothing comes.
    public func exchangeEffects(_ list: inout [SessionEffect]) { context.exchangeEffects(&list) }

    /// Something is wanted.
    public var hasEffects: Bool { context.hasEffects }

    private func transition(of machine: any SessionMachine, after event: SessionEvent) -> Transition {
        switch event {
        case .clientBytes(let bytes): return machine.clientSent(bytes)
        case .clientEnded: return machine.clientEnded()
        case .clientLost: return machine.clientLost()
        case .originConnected(let link, let role): return machine.connected(link, role)
        case .dialFailed(let failure, let role): return machine.dialFailed(failure, role)
        case .originBytes(let link, let bytes): return machine.originSent(bytes, on: link)
        case .originEnded(let link, let reset): return machine.originEnded(link, reset: reset)
        case .clientPassed(let count, let waiting): machine.clientPassed(count, waiting: waiting)
        case .originPassed(let link, let count, let waiting): machine.originPassed(link, count, waiting: waiting)
        case .compared(let name, let match):
            context.addresses.note(match, of: name)
            return machine.compared()
        case .clientDrained: return machine.clientDrained()
        case .originDrained(let link): return machine.originDrained(link)
        case .deadlinePassed(let deadline):
            return context.timer.expire(deadline) ? machine.deadlinePassed(deadline) : .stay
        case .shed: return machine.shed()
        case .draining:
            context.isDraining = true
            return machine.drain()
        case .drainingUnread:
            context.isDraining = true
            return machine.drainUnread()
        case .stopping: return .close(.gate(.stopped))
        }
        return .stay
    }

    private func apply(_ transition: Transition, from machine: any SessionMachine) {
        var machine = machine
        var transition = transition
        while true {
            switch transition {
            case .stay: return
            case .become(let next): machine = next
            case .linger: machine = LingeringClose(context, in: machine.tunnel)
            case .close(let reason, let end): return close(machine, reason, end)
            }
            self.machine = machine
            transition = machine.begin()
        }
    }

    private func close(_ machine: any SessionMachine, _ reason: EndReason, _ end: ClientEnd) {
        self.machine = nil
        machine.end(reason)
        if end == .proper { context.client.tls?.sendClose() }
        context.disarm()
        context.effect(end == .reset ? .resetClient : .closeClient)
    }

    /// A link that comes when nobody is left to use it.
    private func settleLate(_ event: SessionEvent) {
        if case .originConnected(let link, _) = event { context.giveBack(link) }
    }
}

extension ProxySession {
    public var isClosed: Bool { machine == nil }

    /// No load is in flight: the next bytes begin a new one.
    public var isBetweenLoads: Bool { machine?.isBetweenLoads ?? false }

    /// The client is idle: it is between two loads, or in the middle of a head or of its TLS handshake.
    public var onlyWaits: Bool { machine?.onlyWaits ?? false }

    /// What the client sends next may be a new load.
    public var mayBeginLoad: Bool { machine?.mayBeginLoad ?? false }

    /// The origin, or the client's own next request, is held back until the client has taken what waits for it.
    public var awaitsClient: Bool { machine?.awaitsClient ?? false }

    /// A reader that is waited for counts as drained below so many bytes.
    public var lowWaterBytes: Int { max(context.highWaterBytes / 4, 1) }

    /// The link whose full outbox holds the client back.
    public var awaitedLink: OriginLink? { machine?.awaitedLink }

    /// The client has asked for a tunnel: whatever it says inside, a parent proxy is asked for a tunnel, too.
    public var isInTunnel: Bool { machine?.tunnel != nil }

    /// Where the client's next bytes may go as they are: ProxyServer moves them from socket to socket and says how
    /// many.
    public var clientSplice: OriginLink? { machine?.clientSplice }

    /// How many of the link's next bytes may go to the client as they are; nil for none.
    ///
    /// Of a body of known length the last bytes are read here, so that its end is seen.
    public func originSpliceLimit(of link: OriginLink) -> Int? { machine?.originSpliceLimit(of: link) }
}

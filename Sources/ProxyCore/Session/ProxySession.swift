public import Bytes
import HTTPWire
public import Records
import TLSEngine

/// One client connection. It receives events, and answers with bytes in outboxes and a list of effects.
///
/// It owns no socket, clock or timer. ProxyServer calls ``handle(_:at:)``, carries out ``exchangeEffects(_:)``, and
/// flushes the outboxes. A machine does the work of each phase; the session passes events to it and replaces it at
/// transitions.
public final class ProxySession {
    private let context: SessionContext
    /// nil once all output was sent, or the session is closed.
    private var machine: (any SessionMachine)?
    /// Set while the client reads its last output, so that a TCP reset does not discard it: records the tunnel at the end.
    /// Bytes that the client sends in the meantime are discarded.
    private var lingering: LoadRecorder?

    /// Starts a session. A redirected client needs its connection immediately, so effects may exist already.
    ///
    /// - Parameters:
    ///   - place: the client's address and listener.
    ///   - outbox: bytes for the client's socket.
    public init(loop: LoopContext, client place: ClientSource, outbox: ByteQueue, at moment: Timestamp) {
        context = SessionContext(loop: loop, place: place, outbox: outbox, at: moment)
        context.arm(.head)
        guard let original = place.original else {
            machine = place.entrance == .socks ? SOCKSNegotiation(context) : HTTP1Client(context)
            return
        }
        // Handled as a CONNECT to its original address, but without an answer. It is dialed at once, because the origin
        // may be the side that sends first.
        let head = RequestHead(method: .connect, target: .authority(host: original.host, port: original.port))
        apply(TunnelOpening.open(head, context), from: nil)
    }

    /// The only entry point.
    public func handle(_ event: SessionEvent, at moment: Timestamp) {
        context.now = moment
        guard let machine else { return settle(event) }
        apply(transition(of: machine, after: event), from: machine)
    }

    /// The only output apart from the outboxes: exchanges the collected effects for `list`, which must be empty and
    /// provides its storage. An effect may cause others: call again until the list stays empty.
    public func exchangeEffects(_ list: inout [SessionEffect]) { context.exchangeEffects(&list) }

    /// True if effects wait to be carried out.
    public var hasEffects: Bool { context.hasEffects }

    private func transition(of machine: any SessionMachine, after event: SessionEvent) -> Transition {
        switch event {
        case .clientBytes(let bytes): return machine.clientSent(bytes)
        case .clientEnded: return machine.clientEnded()
        case .clientLost: return machine.clientLost()
        case .originConnected(let link): return machine.connected(link)
        case .dialFailed(let failure): return machine.dialFailed(failure)
        case .originBytes(let link, let bytes): return machine.originSent(bytes, on: link)
        case .originEnded(let link, let reset): return machine.originEnded(link, reset: reset)
        case .clientPassed(let count, let waiting): machine.clientPassed(count, waiting: waiting)
        case .originPassed(let link, let count, let waiting): machine.originPassed(link, count, waiting: waiting)
        case .clientDrained: return machine.clientDrained()
        case .originDrained(let link): return machine.originDrained(link)
        case .deadlinePassed(let deadline):
            return context.timer.expire(deadline) ? machine.deadlinePassed(deadline) : .stay
        case .shed: return machine.shed()
        case .overBudget: return .close(.gate(.overBudget))
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

    private func apply(_ transition: Transition, from machine: (any SessionMachine)?) {
        var machine = machine
        var transition = transition
        while true {
            switch transition {
            case .stay: return
            case .become(let next):
                machine = next
                self.machine = next
                transition = next.begin()
            case .linger: return linger(in: machine?.tunnel)
            case .close(let reason, let end): return close(machine, reason, end)
            }
        }
    }

    private func close(_ machine: (any SessionMachine)?, _ reason: EndReason, _ end: ClientEnd) {
        self.machine = nil
        machine?.end(reason)
        if end == .proper { context.client.tls?.sendClose() }
        context.disarm()
        context.effect(end == .reset ? .resetClient : .closeClient)
    }

    private func linger(in tunnel: Tunnel?) {
        machine = nil
        lingering = LoadRecorder(context: context, tunnel: tunnel)
        context.client.tls?.sendClose()
        context.arm(.linger)
        // Reads and discards further data, to see its end.
        context.releaseClient()
        context.effect(.finishClientWriting)
        if context.client.hasEnded { endLingering() }
    }

    private func endLingering() {
        lingering?.fileTunnel()
        lingering = nil
        context.disarm()
        context.effect(.closeClient)
    }

    /// Handles an event after the last machine: gives back a link that connected late, and ends the wait for the client.
    private func settle(_ event: SessionEvent) {
        if case .originConnected(let link) = event { return context.giveBack(link) }
        guard lingering != nil else { return }
        switch event {
        case .clientEnded, .clientLost, .shed, .overBudget, .stopping: endLingering()
        case .deadlinePassed(let deadline): if context.timer.expire(deadline) { endLingering() }
        default: break
        }
    }

    public var isClosed: Bool { machine == nil && lingering == nil }

    /// True if no load is in flight: the next bytes begin a new one.
    public var isBetweenLoads: Bool { machine?.isBetweenLoads ?? false }

    /// True if the client is idle: between two loads, or within a head or its TLS handshake.
    public var onlyWaits: Bool { machine?.onlyWaits ?? (lingering != nil) }

    /// Bytes that are held for the client and its origins, without the outboxes.
    public var heldBytes: Int { context.client.inbox.count + (machine?.heldBytes ?? 0) }

    /// True if the client's next bytes may be a new load.
    public var mayBeginLoad: Bool { machine?.mayBeginLoad ?? false }

    /// True if the origin, or the client's own next request, is paused until the client has read its pending data.
    public var awaitsClient: Bool { machine?.awaitsClient ?? false }

    /// A paused writer resumes when its reader has fewer pending bytes than this.
    public var lowWaterBytes: Int { max(context.highWaterBytes / 4, 1) }

    /// The link whose full outbox pauses the client.
    public var awaitedLink: OriginLink? { machine?.awaitedLink }

    /// True if the client requested a tunnel. A parent proxy must then open a tunnel, too, for any content.
    public var isInTunnel: Bool { machine?.tunnel != nil }

    /// The link to which the client's next bytes may be spliced unread. ProxyServer moves them from socket to socket
    /// and reports their number.
    public var clientSplice: OriginLink? { machine?.clientSplice }

    /// The number of the link's next bytes that may be spliced to the client unread; nil for none.
    ///
    /// The last bytes of a body of known length are always read here, to see its end.
    public func originSpliceLimit(of link: OriginLink) -> Int? { machine?.originSpliceLimit(of: link) }
}

import ATSPolicy
public import Bytes
import HTTPWire
import Records
import TLSEngine

/// The clerk of one client connection: told what happened, it answers with bytes in outboxes and a list of effects.
///
/// It owns no socket, no clock and no timer. The server room calls ``handle(_:at:)``, carries out
/// ``exchangeEffects(_:)``, and flushes the outboxes.
public final class ProxySession {
    /// Where a connection stands. Every state keeps its own data, so that none can be half right.
    enum Stage {
        /// Between loads, or in the middle of a head.
        case waiting
        case exchange(Exchange)
        /// CONNECT was asked for; see ``OpeningPhase``.
        case opening(OpeningPhase)
        case relay(Relayed)
        /// The client speaks HTTP/2: any number of loads at once.
        case streams(Switchboard)
        /// Our TLS refusal is on its way; a client that accepts it anyway is shown the page.
        case refused
        /// All is said; waiting for the client to have read it.
        case lingering
        case closed
    }

    let loop: LoopContext
    let client: ClientSide
    let place: ClientPlace
    /// Who sent the last head.
    private(set) var asker: ClientCard
    private var clientSystem: ClientSystem
    /// The law that `clientSystem` was taken from.
    private var systemsLaw: GatePolicy
    var stage = Stage.waiting
    /// Set inside a CONNECT tunnel.
    var scope: TunnelScope?
    var link: OriginLink?
    var probe: OriginLink?
    var now: Moment
    var armed: Deadline?
    var isDraining = false
    /// A SOCKS client's, until it has been told how its request went.
    var greeting: SOCKSGreeting?
    /// Something changed so that another request may be read from the inbox.
    var wantsRequest = false
    private var lastRuled: Ruled?
    private var effects: [SessionEffect] = []

    /// - Parameters:
    ///   - place: where the client comes from.
    ///   - outbox: bytes for the client's socket.
    public init(loop: LoopContext, client place: ClientPlace, outbox: ByteQueue, at moment: Moment) {
        self.loop = loop
        self.place = place
        greeting = place.speaksSOCKS ? SOCKSGreeting() : nil
        systemsLaw = loop.policy
        clientSystem = loop.policy.systems.usual
        asker = Self.card(place, agent: nil, law: loop.policy, system: clientSystem)
        client = ClientSide(outbox: outbox, scratch: loop.scratch)
        now = moment
        effect(.arm(.head, loop.policy.limits.head))
        armed = .head
    }

    /// The only way in.
    public func handle(_ event: SessionEvent, at moment: Moment) {
        now = moment
        switch event {
        case .clientBytes(let bytes): clientSent(bytes)
        case .clientEnded: clientEnded()
        case .clientLost: clientLost()
        case .originConnected(let link, .main): mainConnected(link)
        case .originConnected(let link, .probe): probeConnected(link)
        case .dialFailed(let failure, .main): mainDialFailed(failure)
        case .dialFailed(let failure, .probe): probeFailed(.closed(reset: failure != .timeout))
        case .originBytes(let link, let bytes): originSent(bytes, on: link)
        case .originEnded(let link, let reset): originEnded(link, reset: reset)
        case .clientPassed(let count, let waiting): clientPassed(count, waiting: waiting)
        case .originPassed(let link, let count, let waiting): originPassed(link, count, waiting: waiting)
        case .clientDrained: clientDrained()
        case .originDrained(let link): originDrained(link)
        case .deadlinePassed(let deadline): deadlinePassed(deadline)
        case .draining: drain()
        case .stopping: stop()
        }
        while wantsRequest {
            wantsRequest = false
            readRequests()
        }
    }

    /// The only way out, beside the outboxes: exchanges what is wanted so far for `list`, which must be empty and lends
    /// its storage. Running an effect may lead to more: call until nothing comes.
    public func exchangeEffects(_ list: inout [SessionEffect]) { swap(&effects, &list) }

    public var isClosed: Bool {
        if case .closed = stage { true } else { false }
    }

    func effect(_ effect: SessionEffect) { effects.append(effect) }

    func arm(_ deadline: Deadline) {
        armed = deadline
        let limits = loop.policy.limits
        let duration =
            switch deadline {
            case .head: limits.head
            case .idle: limits.idle
            case .handshake: limits.handshake
            case .firstBytes: limits.firstBytes
            case .answer: limits.answer
            case .linger: limits.linger
            }
        effect(.arm(deadline, duration))
    }

    func disarm() {
        guard armed != nil else { return }
        armed = nil
        effect(.disarm)
    }

    /// The law's answer for a target, remembered for the next load of this connection.
    func ruled(on target: LoadTarget) -> Ruled {
        let system = system
        let loader = asker.loader
        if let lastRuled, lastRuled.system === system, lastRuled.target == target, lastRuled.loader == loader {
            return lastRuled
        }
        let ruling = system.judge.rule(on: target, loader: loader)
        let declaration = system.judge.declaration
        let policy = PolicyCard(
            source: declaration.source, bundleID: declaration.bundleID, os: system.profile.name, basis: ruling.basis)
        let isOwn = loop.policy.ownAuthorities.contains("\(target.host):\(target.port)")
        let ruled = Ruled(
            system: system, target: target, loader: loader, ruling: ruling, policy: policy, isOwn: isOwn)
        lastRuled = ruled
        return ruled
    }

    /// Takes note of who sent a head: its User-Agent tells which part of a system is asking.
    func meet(_ head: RequestHead) {
        let agent = head.fields.value(of: .userAgent)
        guard agent != asker.userAgent || systemsLaw !== loop.policy else { return }
        introduce(agent: agent)
    }

    /// The law of this client's system, under the law in force.
    var system: SystemPolicy {
        if systemsLaw !== loop.policy { introduce(agent: asker.userAgent) }
        return clientSystem.policy
    }

    private func introduce(agent: String?) {
        systemsLaw = loop.policy
        clientSystem = systemsLaw.systems.system(ofAgent: agent)
        asker = Self.card(place, agent: agent, law: systemsLaw, system: clientSystem)
    }

    private static func card(
        _ place: ClientPlace, agent: String?, law: GatePolicy, system: ClientSystem
    ) -> ClientCard {
        ClientCard(
            address: place.address, label: place.label, userAgent: agent,
            loader: place.assumedLoader ?? law.assumedLoader ?? Loader(userAgent: agent),
            os: system.policy.profile.name,
            osEvidence: system.guess?.evidence, osNotes: system.guess?.notes ?? [])
    }

    struct Ruled {
        let system: SystemPolicy
        let target: LoadTarget
        let loader: Loader
        let ruling: Ruling
        let policy: PolicyCard
        /// It is the gate's own address.
        let isOwn: Bool
    }
}

extension ProxySession {
    /// No load is in flight: the next bytes begin a new one.
    public var isBetweenLoads: Bool {
        switch stage {
        case .waiting: client.inbox.isEmpty
        case .streams(let board): board.loads.isEmpty
        case .exchange, .opening, .relay, .refused, .lingering, .closed: false
        }
    }

    /// What the client sends next may be a new load.
    public var mayBeginLoad: Bool {
        if case .streams = stage { true } else { isBetweenLoads }
    }

    /// The origin, or the client's own next request, is held back until the client has taken what waits for it.
    public var holdsOrigin: Bool {
        switch stage {
        case .waiting where client.isPaused: true
        case .streams(let board): board.isHeldBack
        default: link?.isPaused ?? false
        }
    }

    /// The link whose full outbox holds the client back.
    public var heldByOrigin: OriginLink? {
        if case .streams(let board) = stage {
            return board.links.first { $0.isHeldBack && $0.outbox.count < loop.policy.limits.highWaterBytes }
        }
        guard client.isPaused else { return nil }
        switch stage {
        case .exchange(let exchange): return exchange.isSent && !exchange.requestIsDone ? link : nil
        case .relay: return link
        default: return nil
        }
    }
}

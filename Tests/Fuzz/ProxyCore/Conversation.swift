import ATSPolicy
import Bytes
import ProxyCore
import Records

/// One session with its far ends in memory, which does what the server room would do, and holds the session to it.
final class Conversation {
    /// A link with who is at its other end.
    final class Line {
        let link: OriginLink
        let peer: Peer
        var isPaused = false

        init(_ link: OriginLink, _ peer: Peer) {
            self.link = link
            self.peer = peer
        }
    }

    let setting: Setting
    let loop: LoopContext
    let session: ProxySession
    let clientOutbox = ByteQueue()
    private(set) var isClosed = false
    private(set) var isClientPaused = false
    private(set) var armed: Deadline?
    private(set) var orders: [(permit: ConnectPermit, mayReuse: Bool)] = []
    /// Links that the session has.
    private(set) var lines: [Line] = []
    /// Links that it gave back for others.
    private(set) var pool: [Line] = []
    var ledger = Ledger()
    var moment = Timestamp(wall: Setting.now * 1_000, ticks: 0)
    /// The client's TLS, once its tunnel stands.
    private var app: Peer?
    private var appWaits: Peer?
    /// All that ever had a part in this.
    private var peers: [Peer] = []

    init(_ setting: Setting) {
        self.setting = setting
        loop = setting.loop()
        session = ProxySession(loop: loop, client: setting.place, outbox: clientOutbox, at: moment)
        carryOut()
        ledger.isDisturbed = setting.passesThrough
        switch setting.opening {
        case .plain, .socks: break
        case .redirected:
            // The connection itself, whatever is asked for on it.
            ledger.begunHeads = 1
            if setting.beginsWithTLS { app = Peer(appAskingFor: "good.test", alpn: ["h2", "http/1.1"]) }
        case .tunnel: appWaits = Peer(appAskingFor: "good.test", alpn: ["http/1.1"])
        case .streams: appWaits = Peer(appAskingFor: "good.test", alpn: ["h2", "http/1.1"])
        }
        if let app { peers.append(app) }
        if let appWaits {
            peers.append(appWaits)
            clientSends(Array("CONNECT good.test:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\n".utf8))
        }
    }

    // MARK: Events

    func tell(_ event: SessionEvent) {
        session.handle(event, at: moment)
        carryOut()
    }

    /// Bytes as they are, whatever the client speaks.
    func clientSends(_ bytes: [UInt8]) {
        guard !isClientPaused, !isClosed, !bytes.isEmpty else { return }
        if app == nil { ledger.clientSaid(bytes) }
        bytes.withUnsafeBytes { tell(.clientBytes($0)) }
    }

    /// Words of the client, under its TLS where there is one.
    func clientSays(_ bytes: [UInt8]) {
        guard let app else { return clientSends(bytes) }
        if app.isUp { ledger.clientSaid(bytes) }
        app.say(bytes)
    }

    func appActs(_ what: UInt8, _ which: Int) { app?.act(what, which) }
    func appSaysGoodbye() { app?.sendGoAway() }

    func connect(_ line: Line, at index: Int) {
        orders.remove(at: index)
        pool.removeAll { $0 === line }
        lines.append(line)
        peers.append(line.peer)
        tell(.originConnected(line.link))
    }

    func failDial(_ failure: NetworkFailure) {
        guard !orders.isEmpty else { return }
        orders.removeFirst()
        tell(.dialFailed(failure))
    }

    func passDeadline() {
        guard let armed else { return }
        self.armed = nil
        tell(.deadlinePassed(armed))
    }

    /// The client takes all that waits for it.
    func clientReads() {
        let bytes = clientOutbox.drained
        if let app { return app.receive(bytes) }
        guard let waits = appWaits, let end = ledger.endOfTunnelAnswer(in: bytes) else { return }
        appWaits = nil
        app = waits
        if end < bytes.count { waits.receive(Array(bytes[end...])) }
    }

    func peerReads(_ line: Line) { line.peer.receive(line.link.outbox.drained) }

    /// Bytes go to and fro until nothing moves any more; in front of slow readers they wait.
    func carry() {
        var rounds = 0
        var hasMoved = true
        while hasMoved {
            rounds += 1
            hold(rounds < 5_000, "it never comes to rest")
            hasMoved = carryClient()
            for line in lines where carry(line) { hasMoved = true }
            for line in pool { carryIdle(line) }
        }
        check()
    }

    private func carryClient() -> Bool {
        var hasMoved = false
        if !setting.isSlow {
            hasMoved = !clientOutbox.isEmpty
            clientReads()
            if !isClosed, session.awaitsClient {
                tell(.clientDrained)
                hasMoved = true
            } else if !isClosed, let link = session.awaitedLink, link.outbox.isEmpty {
                tell(.originDrained(link))
                hasMoved = true
            }
        }
        if let app, !app.outbox.isEmpty, !isClientPaused, !isClosed {
            clientSends(app.outbox.drained)
            hasMoved = true
        }
        return hasMoved
    }

    private func carry(_ line: Line) -> Bool {
        var hasMoved = false
        if !setting.isSlow, !line.link.outbox.isEmpty {
            peerReads(line)
            hasMoved = true
        }
        if !line.peer.outbox.isEmpty, !line.isPaused, !isClosed, lines.contains(where: { $0 === line }) {
            line.peer.outbox.drained.withUnsafeBytes { tell(.originBytes(line.link, $0)) }
            hasMoved = true
        }
        return hasMoved
    }

    private func carryIdle(_ line: Line) {
        peerReads(line)
        let bytes = line.peer.outbox.drained
        guard !bytes.isEmpty, !bytes.withUnsafeBytes({ line.link.staysFit(after: $0) }) else { return }
        pool.removeAll { $0 === line }
    }

    // MARK: Effects

    private func carryOut() {
        while true {
            var effects: [SessionEffect] = []
            session.exchangeEffects(&effects)
            if effects.isEmpty { return }
            for effect in effects { carryOut(effect) }
        }
    }

    private func carryOut(_ effect: SessionEffect) {
        hold(!isClosed, "something is wanted after the end")
        switch effect {
        case .arm(let deadline, _): armed = deadline
        case .disarm: armed = nil
        case .connect(let permit, let mayReuse):
            hold(orders.isEmpty, "two dials at once")
            orders.append((permit, mayReuse))
        case .abandonConnect: orders.removeAll()
        case .pauseClient: isClientPaused = true
        case .resumeClient: isClientPaused = false
        case .pauseOrigin(let link): line(of: link)?.isPaused = true
        case .resumeOrigin(let link): line(of: link)?.isPaused = false
        case .record(let record): ledger.note(record)
        case .keepOrigin(let link): pool.append(letGo(link))
        case .closeOrigin(let link): ledger.heard(by: letGo(link).peer)
        case .closeClient, .resetClient: isClosed = true
        case .finishClientWriting, .finishOriginWriting: break
        }
    }

    private func line(of link: OriginLink) -> Line? { lines.first { $0.link === link } }

    private func letGo(_ link: OriginLink) -> Line {
        guard let index = lines.firstIndex(where: { $0.link === link }) else {
            fatalError("a link was let go of twice")
        }
        let line = lines.remove(at: index)
        line.isPaused = false
        peerReads(line)
        return line
    }

    // MARK: What must hold

    private func check() {
        hold(clientOutbox.count < Self.outboxLimit, "\(clientOutbox.count) bytes wait for the client")
        for line in lines { hold(line.link.outbox.count < Self.outboxLimit, "too much waits for an origin") }
        guard !isClosed else { return }
        hold(armed != nil || !orders.isEmpty, "nothing will ever wake this session")
        hold(!session.isClosed, "closed without a word")
    }

    /// The client leaves, and all is to be in order.
    func end() {
        if !isClosed { tell(.clientLost) }
        hold(isClosed && session.isClosed, "still open when its client is gone")
        hold(lines.isEmpty, "a link was neither kept nor closed")
        for line in pool { ledger.heard(by: line.peer) }
        if let app { ledger.asked(by: app) }
        Array("late".utf8).withUnsafeBytes { tell(.clientBytes($0)) }
        for event in [SessionEvent.clientEnded, .clientLost, .clientDrained, .shed, .draining, .stopping] {
            tell(event)
        }
        ledger.close()
        for peer in peers { peer.leave() }
    }

    /// High water, what one call may add to it, and a margin for the gate's own pages.
    private static let outboxLimit = Setting.highWater + 100_000
}

extension ByteQueue {
    /// The waiting bytes; they are gone afterwards.
    var drained: [UInt8] {
        defer { removeAll() }
        return Array(bytes)
    }
}

import ATSPolicy
import Bytes
import ProxyCore
import Records
import Testing

/// A script for one session: events go in, effects come out as words, and the whole transcript is shown when they
/// are not the expected ones.
final class Playbook {
    let loop: LoopContext
    let session: ProxySession
    let place: ClientSource
    /// Bytes that wait for the client's socket.
    let clientOutbox = ByteQueue()
    private(set) var transcript: [String] = []
    private(set) var records: [LoadRecord] = []
    /// Every link handed over so far; the first is `#1` in words.
    private(set) var links: [OriginLink] = []
    /// The current purpose of the session's timer.
    private(set) var armed: Deadline?
    private(set) var isClientPaused = false
    /// Set where the moments between events count.
    var moment = Timestamp(wall: World.now * 1_000, ticks: 0)
    /// Origins read nothing until they are told to: their links' outboxes fill up.
    var originsAreSlow = false
    /// In-memory TLS peers, when there are any.
    var app: AppPeer?
    var peers: [ObjectIdentifier: OriginPeer] = [:]

    /// Bytes for origins that no test has read yet.
    private var wire: [ObjectIdentifier: [UInt8]] = [:]
    private var unexpected: [String] = []
    /// The connection that the session waits for, if any.
    private(set) var orders: [(permit: ConnectPermit, mayReuse: Bool)] = []
    private var released: Set<ObjectIdentifier> = []
    private var isClosed = false

    init(
        _ law: GatePolicy, loop known: LoopContext? = nil,
        from place: ClientSource = ClientSource(address: "127.0.0.1:5000")
    ) throws {
        loop = try known ?? World.loop(law)
        self.place = place
        session = ProxySession(loop: loop, client: place, outbox: clientOutbox, at: moment)
        carryOut()
        unexpected = []
    }

    /// A session over a declaration; see ``World/law(_:_:)``.
    convenience init(_ declaration: PropertyValue = .openWorld, _ change: (inout PolicyDraft) -> Void = { _ in }) throws
    {
        try self.init(World.law(declaration, change))
    }

    // MARK: Events

    func tell(_ event: SessionEvent, as words: String) {
        transcript.append("> " + words)
        session.handle(event, at: moment)
        carryOut()
        if !originsAreSlow { flush() }
    }

    /// What links have to say goes out.
    private func flush() {
        for link in links where !link.outbox.isEmpty && peers[ObjectIdentifier(link)] == nil {
            wire[ObjectIdentifier(link), default: []] += link.outbox.drained
        }
    }

    func client(_ text: String) { client(Array(text.utf8)) }

    func client(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { tell(.clientBytes($0), as: "client \(excerpt(bytes))") }
    }

    func clientEnded() { tell(.clientEnded, as: "client ended") }
    func clientLost() { tell(.clientLost, as: "client lost") }
    func clientDrained() { tell(.clientDrained, as: "client drained") }

    /// Answers the oldest order to connect with a new link, or with an idle one.
    ///
    /// - Parameter isNew: the link given was not in use before.
    @discardableResult
    func connected(
        _ idle: OriginLink? = nil, isNew: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> OriginLink {
        let order = try #require(orders.isEmpty ? nil : orders.removeFirst(), sourceLocation: sourceLocation)
        let link =
            idle
            ?? OriginLink(
                key: OriginLink.Key(order.permit, at: place.original),
                address: "192.0.2.1:\(order.permit.target.port)",
                outbox: ByteQueue(), connectTicks: 1_000)
        released.remove(ObjectIdentifier(link))
        if idle == nil || isNew { links.append(link) }
        tell(.originConnected(link), as: "connected \(name(of: link))")
        return link
    }

    func dialFailed(_ failure: NetworkFailure, sourceLocation: SourceLocation = #_sourceLocation) throws {
        _ = try #require(orders.isEmpty ? nil : orders.removeFirst(), sourceLocation: sourceLocation)
        tell(.dialFailed(failure), as: "dial failed \(failure)")
    }

    /// Bytes from an origin; from the latest link when none is named.
    func origin(_ text: String, on link: OriginLink? = nil) { origin(Array(text.utf8), on: link) }

    func origin(_ bytes: [UInt8], on link: OriginLink? = nil) {
        guard let link = link ?? links.last else { return }
        bytes.withUnsafeBytes { tell(.originBytes(link, $0), as: "origin \(name(of: link)) \(excerpt(bytes))") }
    }

    func originEnded(reset: Bool = false, on link: OriginLink? = nil) {
        guard let link = link ?? links.last else { return }
        tell(.originEnded(link, reset: reset), as: "origin \(name(of: link)) \(reset ? "reset" : "ended")")
    }

    func originDrained(on link: OriginLink? = nil) {
        guard let link = link ?? links.last else { return }
        tell(.originDrained(link), as: "origin \(name(of: link)) drained")
    }

    func clientPassed(_ count: Int, waiting: Int) {
        tell(.clientPassed(count: count, waiting: waiting), as: "client passed \(count), \(waiting) waiting")
    }

    func originPassed(_ count: Int, waiting: Int) {
        guard let link = links.last else { return }
        let words = "origin \(name(of: link)) passed \(count), \(waiting) waiting"
        tell(.originPassed(link, count: count, waiting: waiting), as: words)
    }

    func pass(_ deadline: Deadline) { tell(.deadlinePassed(deadline), as: "deadline \(deadline)") }

    // MARK: What came of it

    /// Takes what waits for the client, as text.
    func clientReads() -> String { clientOutbox.taken }

    /// Takes what waits for an origin, as text.
    func originReads(on link: OriginLink? = nil) -> String {
        (link ?? links.last).map { String(decoding: sent(to: $0), as: UTF8.self) } ?? ""
    }

    /// Takes what went out to an origin and was not looked at yet.
    func sent(to link: OriginLink) -> [UInt8] {
        (wire.removeValue(forKey: ObjectIdentifier(link)) ?? []) + link.outbox.drained
    }

    /// The effects since the last call are exactly these; timers are left out, see ``armed``.
    func expect(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        defer { unexpected = [] }
        guard unexpected != words else { return }
        blame("expected effects \(words), got \(unexpected)", sourceLocation)
    }

    /// The client leaves; the session is closed, has recorded so often, and has let go of every link once.
    ///
    /// - Parameter count: nil where any number will do.
    func end(records count: Int?, sourceLocation: SourceLocation = #_sourceLocation) {
        if !session.isClosed { clientLost() }
        if !session.isClosed { blame("the session is still open", sourceLocation) }
        if let count, records.count != count {
            blame("expected \(count) records, got \(records.count)", sourceLocation)
        }
        for link in links where !released.contains(ObjectIdentifier(link)) {
            blame("link \(name(of: link)) was neither kept nor closed", sourceLocation)
        }
        let before = transcript.count
        client("late")
        clientEnded()
        clientDrained()
        tell(.draining, as: "draining")
        tell(.stopping, as: "stopping")
        if transcript.count != before + 5 { blame("effects after the end", sourceLocation) }
    }

    func blame(_ words: String, _ sourceLocation: SourceLocation) {
        let whole = transcript.joined(separator: "\n")
        Issue.record("\(words)\n\(whole)", sourceLocation: sourceLocation)
    }

    func name(of link: OriginLink) -> String {
        links.firstIndex { $0 === link }.map { "#\($0 + 1)" } ?? "#idle"
    }

    private func excerpt(_ bytes: [UInt8]) -> String {
        if bytes.first == 0x16 || bytes.first == 0x17 { return "<TLS, \(bytes.count) bytes>" }
        return String(String(decoding: bytes.prefix(60), as: UTF8.self).debugDescription)
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
        switch effect {
        case .arm(let deadline, _):
            armed = deadline
            return
        case .disarm:
            armed = nil
            return
        case .connect(let permit, let mayReuse): orders.append((permit, mayReuse))
        case .abandonConnect: orders.removeAll()
        case .pauseClient: isClientPaused = true
        case .resumeClient: isClientPaused = false
        case .record(let record): records.append(record)
        case .keepOrigin(let link), .closeOrigin(let link):
            if !released.insert(ObjectIdentifier(link)).inserted { transcript.append("!! let go twice") }
        case .closeClient:
            if isClosed { transcript.append("!! closed twice") }
            isClosed = true
        default: break
        }
        transcript.append("  " + words(for: effect))
        unexpected.append(words(for: effect))
    }
}

extension ByteQueue {
    /// The waiting bytes as text; they are gone afterwards.
    var taken: String {
        defer { removeAll() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

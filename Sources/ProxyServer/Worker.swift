import ATSPolicy
import Dialing
import Foundation
import NetLoop
import ProxyCore
import Records
import Reporting
import TLSEngine

/// The state of one event loop: its clients, its idle origins, its context. Never leaves its loop.
final class Worker {
    let context: LoopContext
    let dialer: Dialer
    let pool: OriginPool
    let settings: GateSettings
    let limits: WorkerLimits
    /// Idle clients.
    let waiting = WaitingLine<ClientConnection>()
    private let archive: Archive
    private var clients: [ObjectIdentifier: ClientConnection] = [:]
    /// Unchecked: appended to for each load; no other code runs during that.
    @exclusivity(unchecked) private var finished: [LoadRecord] = []
    /// Clients whose bytes wait until the archive has room.
    private var held: [ClientConnection] = []
    private(set) var isHolding = false
    /// Storage that sessions borrow while they handle an event. Unchecked: it is lent only for a swap, during which no
    /// other code runs.
    @exclusivity(unchecked) var effects = EffectStorage()
    private let spareMemory = SpareMemory()
    private var isDraining = false
    /// True if ``relieveBudget(on:)`` runs after the current batch of events.
    private var isReliefDue = false
    private var whenEmpty: (() -> Void)?
    private let own: LoopLocal<Worker>

    init(
        context: LoopContext, dialer: Dialer, settings: GateSettings, limits: WorkerLimits, archive: Archive,
        own: LoopLocal<Worker>
    ) {
        self.context = context
        self.dialer = dialer
        self.settings = settings
        self.limits = limits
        self.archive = archive
        self.own = own
        pool = OriginPool(idleTime: settings.timeouts.keepOrigin)
    }

    /// The current time on both clocks.
    func moment(on loop: isolated EventLoop) -> Timestamp {
        Timestamp(wall: Int64(Date().timeIntervalSince1970 * 1_000), ticks: loop.now / 1_000)
    }

    func accept(_ descriptor: Int32, peer: String, from listener: ListenAddress, on loop: isolated EventLoop) {
        // Before the new client enters the line.
        makeRoom(closing: limits.descriptors.shortage(at: descriptor), on: loop)
        let stream = ByteStream(descriptor: descriptor, handler: nil, peerAddress: peer)
        let original = listener.entrance.isRedirected ? SocketAddress(originalOf: descriptor) : nil
        // If the connection is already broken, its original address is not available.
        guard (original != nil) == listener.entrance.isRedirected else { return stream.close(on: loop) }
        serve(stream, from: listener, redirectedFrom: original, on: loop)
    }

    func serve(
        _ stream: ByteStream, from listener: ListenAddress, redirectedFrom original: SocketAddress?,
        on loop: isolated EventLoop
    ) {
        let client = ClientConnection(
            worker: self, stream: stream, from: listener.place(of: stream.peerAddress, redirectedFrom: original),
            at: moment(on: loop))
        clients[ObjectIdentifier(client)] = client
        spareMemory.connectionCameOrWent(on: loop)
        client.begin(on: loop)
        if isDraining { client.drain(on: loop) }
    }

    /// Frees descriptors: closes idle origin connections, then the clients that have been idle longest.
    func makeRoom(closing count: Int, on loop: isolated EventLoop) {
        guard count > 0 else { return }
        pool.closeAll(on: loop)
        var left = count
        for _ in 0..<(2 * count) {
            guard left > 0, let client = waiting.first else { return }
            // A client with unread bytes is not idle; they are read in this or the next batch.
            if client.stream.hasUnreadBytes {
                client.moveToEndOfLine()
            } else {
                client.shedConnection(on: loop)
                limits.descriptors.noteClosed()
                left -= 1
            }
        }
    }

    /// Schedules the end of stalled clients if they hold more than the loop's budget.
    func noteBudget(on loop: isolated EventLoop) {
        guard context.outboxes.isSpent, !isReliefDue else { return }
        isReliefDue = true
        loop.afterBatch { self.relieveBudget(on: loop) }
    }

    /// Ends the clients that have been stalled longest until the loop's budget suffices.
    private func relieveBudget(on loop: isolated EventLoop) {
        while context.outboxes.isSpent {
            let holders = clients.values.filter { $0.waitingBytes > 0 && $0.stream.isOpen }
            guard let longest = holders.min(by: { $0.movedTicks < $1.movedTicks }) else { break }
            longest.shedConnection(.overBudget, on: loop)
        }
        isReliefDue = false
    }

    /// Connects to the permit's target, by the route that `--connect-to` and the parent proxy require.
    ///
    /// - Parameters:
    ///   - original: the address to dial instead of the target's name.
    ///   - client: the client's `ADDRESS:PORT`.
    func dial(
        _ permit: ConnectPermit, at original: OriginalDestination?, for client: String, isInTunnel: Bool,
        on loop: isolated EventLoop, completion: @escaping (Result<OriginSocket, NetworkFailure>) -> Void
    ) -> OriginDial {
        var target = permit.target
        if let original { target = LoadTarget(scheme: target.scheme, host: original.host, port: original.port) }
        let dialPlan = settings.dialPlanner.plan(to: target, isInTunnel: isInTunnel)
        let dial = OriginDial(dialPlan, timeout: settings.timeouts.connect, completion: completion)
        // Lookups are shared out among addresses, not connections.
        let address = client.lastIndex(of: ":").map { String(client[..<$0]) } ?? client
        dial.begin(with: dialer, for: address, limits.rules(for: client, isChosen: dialPlan.isChosen), on: loop)
        return dial
    }

    /// An idle connection to the permit's target that this client may use; nil if there is none.
    func takeIdle(
        _ permit: ConnectPermit, at original: OriginalDestination?, for client: String
    ) -> OriginConnection? {
        pool.take(OriginLink.Key(permit, at: original)) {
            limits.rules(for: client, isChosen: $0.isChosen).permits($0.place)
        }
    }

    func forget(_ client: ClientConnection, on loop: isolated EventLoop) {
        clients[ObjectIdentifier(client)] = nil
        spareMemory.connectionCameOrWent(on: loop)
        if clients.isEmpty { whenEmpty?() }
    }

    var openClients: Int { clients.count }

    var busyClients: Int { clients.values.count { !$0.session.isBetweenLoads && !$0.session.isClosed } }

    /// Files a record with all others of the same batch of events.
    func file(_ record: LoadRecord, on loop: isolated EventLoop) {
        finished.append(record)
        guard finished.count == 1 else { return }
        loop.afterBatch { self.fileBatch(on: loop) }
    }

    private func fileBatch(on loop: isolated EventLoop) {
        let batch = finished
        finished.removeAll(keepingCapacity: true)
        archive.file(batch)
        guard archive.isFull, !isHolding else { return }
        isHolding = true
        archive.whenRoomy { [own] in
            loop.submit { loop in own.value(on: loop)?.release(on: loop) }
        }
    }

    /// Delays this client's next load, because the archive is full.
    func hold(_ client: ClientConnection) { held.append(client) }

    private func release(on loop: isolated EventLoop) {
        isHolding = false
        let waiting = held
        held.removeAll()
        for client in waiting { client.resumeReading(on: loop) }
    }

    /// Finishes the loads in flight and starts no new ones; `whenEmpty` runs after the last client has gone.
    func drain(on loop: isolated EventLoop, whenEmpty: @escaping () -> Void) {
        isDraining = true
        self.whenEmpty = {
            self.whenEmpty = nil
            whenEmpty()
        }
        for client in Array(clients.values) { client.drain(on: loop) }
        pool.closeAll(on: loop)
        if clients.isEmpty { self.whenEmpty?() }
    }

    /// Records every load as it is and closes everything.
    func stop(on loop: isolated EventLoop) {
        for client in Array(clients.values) {
            client.deliver(.stopping, on: loop)
            client.closeNow(on: loop)
        }
        pool.closeAll(on: loop)
        if !finished.isEmpty { fileBatch(on: loop) }
    }
}

/// Two lists, empty between events: a session writes to one while the other is carried out.
struct EffectStorage {
    var first: [SessionEffect] = []
    var second: [SessionEffect] = []

    mutating func takeSecond() -> [SessionEffect] {
        defer { second = [] }
        return second
    }
}

/// The parts that all workers of a gate share. Starts workers.
struct WorkerParts: Sendable {
    let opening: GateOpening
    /// Signs the leafs for clients whose load is refused.
    let untrusted: CertificateAuthority
    let clientContext: ClientTLSContext
    let memory: GateMemory
    let keyLog: KeyLog?
    /// The bytes that may wait in the outboxes of one worker's sessions together.
    let outboxBytes: Int
    let resolver: Resolver
    let limits: WorkerLimits
    let archive: Archive

    /// Starts a loop with a worker on it.
    ///
    /// - Throws: ``NetError`` if the system cannot create the loop.
    func start(_ index: Int) throws(NetError) -> Gate.WorkerLoop {
        let loop = try EventLoop(index: index)
        let own = LoopLocal<Worker>(loop)
        loop.submit { loop in own.place(worker(own), on: loop) }
        return Gate.WorkerLoop(loop: loop, worker: own)
    }

    private func worker(_ own: LoopLocal<Worker>) -> Worker {
        let settings = opening.settings
        let context = LoopContext(
            policy: opening.policy, authority: opening.authority, untrusted: untrusted, clientContext: clientContext,
            memory: memory, keyLog: keyLog, outboxes: OutboxBudget(bytes: outboxBytes), identifiers: TaskNames().next)
        context.ownSite = opening.ownSite
        return Worker(
            context: context, dialer: Dialer(resolver: resolver), settings: settings, limits: limits, archive: archive,
            own: own)
    }
}

/// Makes identifiers for Apple-style lines: a task UUID, a task index, a connection number (docs/console-lines.md).
final class TaskNames {
    private var count = 0

    func next() -> LogIdentifiers {
        count += 1
        return LogIdentifiers(task: UUID().uuidString, taskIndex: count, connection: count)
    }
}

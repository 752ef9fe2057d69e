import ATSPolicy
import Bytes
import Dialing
import Foundation
import NetLoop
import ProxyCore
import Records
import Reporting

/// All that one event loop has: its clients, its idle origins, its context. Never leaves its loop.
final class Worker {
    let context: LoopContext
    let dialer: Dialer
    let names: NameComparison
    let pool: OriginPool
    let settings: GateSettings
    let limits: WorkerLimits
    /// Clients that only wait.
    let waiting = WaitingLine<ClientConnection>()
    private let archive: Archive
    private var clients: [ObjectIdentifier: ClientConnection] = [:]
    /// Unchecked: appended to for each load, and nothing else runs meanwhile.
    @exclusivity(unchecked) private var finished: [LoadRecord] = []
    /// Clients of whom is asked where they were to go.
    let arriving = ArrivingClients()
    /// Clients whose bytes wait until the archive has room.
    private var held: [ClientConnection] = []
    private(set) var isHolding = false
    /// Storage that sessions borrow while they are told of an event. Unchecked: it is lent for the length of a swap, in
    /// which nothing else runs.
    @exclusivity(unchecked) var effects = EffectStorage()
    private let spareMemory = SpareMemory()
    private var isDraining = false
    private var whenEmpty: (() -> Void)?
    private let own: LoopLocal<Worker>

    init(
        context: LoopContext, dialer: Dialer, names: NameComparison, settings: GateSettings, limits: WorkerLimits,
        archive: Archive,
        own: LoopLocal<Worker>
    ) {
        self.context = context
        self.dialer = dialer
        self.names = names
        self.settings = settings
        self.limits = limits
        self.archive = archive
        self.own = own
        pool = OriginPool(idleTime: settings.timeouts.keepOrigin)
    }

    /// One instant on both clocks.
    func moment(on loop: isolated EventLoop) -> Timestamp {
        Timestamp(wall: Int64(Date().timeIntervalSince1970 * 1_000), ticks: loop.now / 1_000)
    }

    func accept(_ descriptor: Int32, peer: String, from listener: ListenAddress, on loop: isolated EventLoop) {
        // Before the newcomer stands in the line itself.
        makeRoom(closing: limits.descriptors.shortage(at: descriptor), on: loop)
        let stream = ByteStream(descriptor: descriptor, handler: nil, peerAddress: peer)
        if listener.speaks == .transparent, let redirects = settings.redirects {
            return arriving.take(stream, from: listener, own, asking: redirects, on: loop)
        }
        // A connection that has broken meanwhile can not be asked where it was to go.
        guard let entrance = listener.entrance(of: descriptor) else { return stream.close(on: loop) }
        serve(stream, from: listener, by: entrance, on: loop)
    }

    func serve(
        _ stream: ByteStream, from listener: ListenAddress, by entrance: ClientEntrance, on loop: isolated EventLoop
    ) {
        let client = ClientConnection(
            worker: self, stream: stream, from: listener.place(of: stream.peerAddress, by: entrance),
            at: moment(on: loop))
        clients[ObjectIdentifier(client)] = client
        spareMemory.connectionCameOrWent(on: loop)
        client.begin(on: loop)
        if isDraining { client.drain(on: loop) }
    }

    /// Descriptors run short: idle connections to origins are closed, then so many who have waited longest.
    func makeRoom(closing count: Int, on loop: isolated EventLoop) {
        guard count > 0 else { return }
        pool.closeAll(on: loop)
        var left = count
        for _ in 0..<(2 * count) {
            guard left > 0, let client = waiting.first else { return }
            // Who has said more than was read so far does not only wait; that is seen in this or the next batch.
            if client.stream.hasUnreadBytes {
                client.waitAnew()
            } else {
                client.giveWay(on: loop)
                limits.descriptors.noteClosed()
                left -= 1
            }
        }
    }

    /// Connects to where the permit leads, by the way that `--connect-to` and the parent proxy make of it.
    ///
    /// - Parameters:
    ///   - original: the address that is dialed in place of the target's name.
    ///   - client: `ADDRESS:PORT` of the one who wants it.
    func dial(
        _ permit: ConnectPermit, at original: OriginalDestination?, for client: String, isInTunnel: Bool,
        on loop: isolated EventLoop, completion: @escaping (Result<OriginSocket, NetworkFailure>) -> Void
    ) -> OriginDial {
        var target = permit.target
        if let original { target = LoadTarget(scheme: target.scheme, host: original.host, port: original.port) }
        let dialPlan = settings.dialPlanner.plan(to: target, isInTunnel: isInTunnel)
        let dial = OriginDial(dialPlan, timeout: settings.timeouts.connect, completion: completion)
        dial.begin(with: dialer, limits.rules(for: client, isChosen: dialPlan.isChosen), on: loop)
        return dial
    }

    /// An idle connection that leads where the permit does, if there is one that this client may use.
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

    /// Records of one batch of events go to the archive together.
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

    /// The archive is full: this client's next load waits.
    func hold(_ client: ClientConnection) { held.append(client) }

    private func release(on loop: isolated EventLoop) {
        isHolding = false
        let waiting = held
        held.removeAll()
        for client in waiting { client.goOn(on: loop) }
    }

    /// Finishes what is in flight and starts nothing new; `whenEmpty` runs once the last client has gone.
    func drain(on loop: isolated EventLoop, whenEmpty: @escaping () -> Void) {
        isDraining = true
        self.whenEmpty = {
            self.whenEmpty = nil
            whenEmpty()
        }
        arriving.closeAll(on: loop)
        for client in Array(clients.values) { client.drain(on: loop) }
        pool.closeAll(on: loop)
        if clients.isEmpty { self.whenEmpty?() }
    }

    /// Records every load as it stands and closes everything.
    func stop(on loop: isolated EventLoop) {
        arriving.closeAll(on: loop)
        for client in Array(clients.values) {
            client.tell(.stopping, on: loop)
            client.closeNow(on: loop)
        }
        pool.closeAll(on: loop)
        if !finished.isEmpty { fileBatch(on: loop) }
    }
}

/// Two lists, empty between events: one for a session to write in while the other is carried out.
struct EffectStorage {
    var first: [SessionEffect] = []
    var second: [SessionEffect] = []

    mutating func takeSecond() -> [SessionEffect] {
        defer { second = [] }
        return second
    }
}

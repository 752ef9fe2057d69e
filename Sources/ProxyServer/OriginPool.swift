import Bytes
import Dialing
import NetLoop
import ProxyCore

/// Idle origin connections of one loop, newest first, each for a limited time.
final class OriginPool {
    private struct Idle {
        let origin: OriginConnection
        /// Nanoseconds on the loop's clock.
        let until: Int64
        let bytes: Int
    }

    /// Counts memory, because certificates stay parsed while a connection is kept.
    private let budget = ByteBudget(.links, limit: 64 << 20)
    private var idle: [OriginLink.Key: [Idle]] = [:]
    private var count = 0
    private let idleNanoseconds: Int64
    private var sweeper: LoopTimer?

    init(idleTime: Duration) {
        let (seconds, attoseconds) = idleTime.components
        idleNanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// Takes the connection used last, which the origin is least likely to have closed.
    ///
    /// - Parameter mayUse: true if the client may use the connection.
    func take(_ key: OriginLink.Key, where mayUse: (OriginConnection) -> Bool) -> OriginConnection? {
        guard let index = idle[key]?.lastIndex(where: { mayUse($0.origin) }), let taken = idle[key]?.remove(at: index)
        else { return nil }
        if idle[key]?.isEmpty == true { idle[key] = nil }
        count -= 1
        budget.add(-taken.bytes)
        return taken.origin
    }

    func keep(_ origin: OriginConnection, on loop: isolated EventLoop) {
        let bytes = origin.link.bytes
        if count >= Self.limit || !budget.hasRoom(for: bytes) { closeOldest(on: loop) }
        guard budget.hasRoom(for: bytes), idleNanoseconds > 0 else { return origin.stream.close(on: loop) }
        budget.add(bytes)
        idle[origin.link.key, default: []].append(
            Idle(origin: origin, until: loop.now + idleNanoseconds, bytes: bytes))
        count += 1
        if count == 1 { startSweeping(on: loop) }
    }

    /// Closes a connection that its origin closed, or sent unexpected data on.
    func drop(_ origin: OriginConnection, on loop: isolated EventLoop) {
        let key = origin.link.key
        if let index = idle[key]?.firstIndex(where: { $0.origin === origin }) {
            budget.add(-(idle[key]?.remove(at: index).bytes ?? 0))
            if idle[key]?.isEmpty == true { idle[key] = nil }
            count -= 1
        }
        origin.stream.close(on: loop)
    }

    func closeAll(on loop: isolated EventLoop) {
        for kept in idle.values { for one in kept { one.origin.stream.close(on: loop) } }
        idle.removeAll()
        budget.add(-budget.heldBytes)
        count = 0
    }

    private func startSweeping(on loop: isolated EventLoop) {
        let sweeper = LoopTimer { [weak self] in self?.sweep(on: loop) }
        self.sweeper = sweeper
        sweeper.arm(after: .seconds(1), on: loop)
    }

    private func sweep(on loop: isolated EventLoop) {
        close(until: loop.now, on: loop)
        if count > 0 { sweeper?.arm(after: .seconds(1), on: loop) }
    }

    /// Closes an eighth of the connections, those idle longest, so that a host that is used now gets a place. Several at
    /// once, because finding them takes a look at all.
    private func closeOldest(on loop: isolated EventLoop) {
        let ends = idle.values.joined().map(\.until).sorted()
        if !ends.isEmpty { close(until: ends[ends.count / 8], on: loop) }
    }

    /// Closes the connections that may be kept no longer than until `end`.
    private func close(until end: Int64, on loop: isolated EventLoop) {
        for (key, kept) in idle {
            let old = kept.prefix { $0.until <= end }
            guard !old.isEmpty else { continue }
            for one in old { one.origin.stream.close(on: loop) }
            count -= old.count
            budget.add(-old.reduce(0) { $0 + $1.bytes })
            idle[key] = old.count == kept.count ? nil : Array(kept.dropFirst(old.count))
        }
    }

    /// The maximum number of idle connections of one loop.
    private static let limit = 512
}

/// One origin's socket with its link. Owned by a client's connection, or by the pool between two loads.
final class OriginConnection {
    let worker: Worker
    let stream: ByteStream
    let link: OriginLink
    weak var owner: ClientConnection?
    /// True if the gate's own settings chose the address.
    let isChosen: Bool
    /// The remote address; nil if it could not be parsed.
    private(set) lazy var place = SocketAddress(link.address)

    init(worker: Worker, socket: OriginSocket, key: OriginLink.Key) {
        self.worker = worker
        stream = socket.stream
        link = OriginLink(
            key: key, address: socket.address, outbox: stream.outbox, connectTicks: socket.microseconds)
        link.route = socket.plan.route
        isChosen = socket.plan.isChosen
        stream.handler = self
    }
}

extension OriginConnection: StreamHandler {
    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        if let owner { return owner.deliver(.originBytes(link, bytes), on: loop) }
        guard link.staysFit(after: bytes) else { return worker.pool.drop(self, on: loop) }
        stream.flush(on: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        if let owner { return owner.deliver(.originEnded(link, reset: false), on: loop) }
        worker.pool.drop(self, on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        if let owner { return owner.deliver(.originEnded(link, reset: true), on: loop) }
        worker.pool.drop(self, on: loop)
    }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {
        owner?.took(from: stream, .originDrained(link), on: loop)
    }

    func spliceTarget(for stream: ByteStream, on loop: isolated EventLoop) -> SpliceTarget? {
        guard let owner, let limit = owner.session.originSpliceLimit(of: link) else { return nil }
        return SpliceTarget(to: owner.stream, limit: limit)
    }

    func spliced(_ count: Int, from stream: ByteStream, to target: ByteStream, on loop: isolated EventLoop) {
        owner?.deliver(.originPassed(link, count: count, waiting: target.waitingBytes), on: loop)
    }
}

extension DialPlan {
    /// The route of a link over this plan.
    fileprivate var route: OriginRoute {
        guard let parent else { return .direct }
        return tunnel == nil
            ? .parent(parent.name, authorization: parent.authorization) : .tunnel(through: parent.name)
    }
}

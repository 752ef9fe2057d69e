import Dialing
import NetLoop
import ProxyCore

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

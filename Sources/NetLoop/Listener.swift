import CPoll
import Dispatch
import Synchronization

/// Accepts TCP connections on one address and spreads them evenly over the loops.
public final class Listener: Sendable {
    /// Takes a connection on its loop: `descriptor` is now the callee's to close.
    public typealias Accepted = @Sendable (_ descriptor: Int32, _ peer: String, _ loop: isolated EventLoop) -> Void

    /// "127.0.0.1:9802" or "[::1]:9802", with the real port.
    public let address: String
    public let port: Int

    private let descriptor: Int32
    private let queue: DispatchQueue
    private let source: ReadinessSource
    private let turn = Mutex(0)

    private init(descriptor: Int32, at local: SocketAddress) {
        self.descriptor = descriptor
        address = local.description
        port = Int(local.port)
        queue = DispatchQueue(label: "atsgate.listener.\(local.port)", target: .global())
        source = ReadinessSource(reading: descriptor, on: queue) { closeDescriptor(descriptor) }
    }

    deinit { source.end() }

    /// Binds and listens; connections wait in the backlog until ``start(loops:exhausted:accepted:)``.
    ///
    /// - Parameters:
    ///   - host: an IP literal, or "localhost", which is 127.0.0.1.
    ///   - port: 0 takes a free one.
    public static func open(host: String, port: Int, backlog: Int = 1_024) throws(NetError) -> Listener {
        guard let address = HostAddress(host == "localhost" ? "127.0.0.1" : host), let number = UInt16(exactly: port)
        else { throw .badAddress("\(host):\(port)") }
        var system = address.cpoll(port: number)
        let answer = cpoll_listen(&system, Int32(clamping: backlog))
        guard answer >= 0 else { throw refusal(-answer, at: SocketAddress(address: address, port: number)) }
        guard let local = SocketAddress(localOf: answer) else {
            closeDescriptor(answer)
            throw .system(call: "getsockname", errno: EINVAL)
        }
        return Listener(descriptor: answer, at: local)
    }

    /// Begins accepting. Only the first call counts.
    ///
    /// - Parameter exhausted: hears the errno when accepting failed for want of descriptors or memory; nothing is
    ///   accepted for the next 100 ms then, and connections wait in the backlog.
    public func start(
        loops: [EventLoop], exhausted: @escaping @Sendable (_ errno: Int32) -> Void = { _ in },
        accepted: @escaping Accepted
    ) {
        precondition(!loops.isEmpty)
        source.start { [weak self] in
            guard let code = self?.accept(for: loops, accepted) else { return }
            exhausted(code)
            self?.backOff()
        }
    }

    /// Closes the listening socket soon; connections in its backlog are reset. May be called again.
    public func stop() {
        source.end()
    }

    /// Accepts one batch. Returns the errno of a shortage.
    private func accept(for loops: [EventLoop], _ accepted: @escaping Accepted) -> Int32? {
        var batches = [[Arrival]](repeating: [], count: loops.count)
        var shortage: Int32?
        for _ in 0..<Self.batch {
            var peer = cpoll_address()
            let answer = cpoll_accept(descriptor, &peer)
            if answer >= 0 {
                batches[nextTurn(of: loops.count)].append(Arrival(descriptor: answer, peer: SocketAddress(peer)))
                continue
            }
            if Self.shortages.contains(-answer) { shortage = -answer }
            // A connection that broke in the backlog is no reason to stop; the source fires again if more wait.
            if -answer != ECONNABORTED { break }
        }
        for (loop, arrivals) in zip(loops, batches) where !arrivals.isEmpty {
            loop.submit { loop in
                for arrival in arrivals { accepted(arrival.descriptor, arrival.peer.description, loop) }
            }
        }
        return shortage
    }

    private func nextTurn(of count: Int) -> Int {
        turn.withLock { turn in
            turn = (turn + 1) % count
            return turn
        }
    }

    /// The backlog keeps the source ready, so without a pause it would spin.
    private func backOff() {
        source.pause()
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.source.resume() }
    }

    private static func refusal(_ code: Int32, at address: SocketAddress) -> NetError {
        if code == EADDRINUSE { return .addressInUse(address.description) }
        if NetError.isDescriptorLimit(code) { return .descriptorLimit }
        return .cannotListen(address.description, errno: code)
    }

    /// accept(2): what passes when somebody closes something.
    private static let shortages: Set<Int32> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]
    private static let pause = DispatchTimeInterval.milliseconds(100)
    private static let batch = 64
}

private struct Arrival: Sendable {
    let descriptor: Int32
    let peer: SocketAddress
}

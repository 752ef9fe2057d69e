import CPoll
import Synchronization

/// Accepts TCP connections on one address and distributes them evenly over the loops.
public final class Listener: Sendable {
    /// Receives a connection on its loop. The callee owns `descriptor` and must close it.
    public typealias AcceptHandler = @Sendable (_ descriptor: Int32, _ peer: String, _ loop: isolated EventLoop) -> Void

    /// "127.0.0.1:9802" or "[::1]:9802", with the real port.
    public let address: String
    public let port: Int

    private enum Phase {
        case open(ListeningSocket)
        case accepting(on: EventLoop, LoopLocal<Acceptor>)
        case stopped
    }

    private let phase: Mutex<Phase>

    private init(_ socket: ListeningSocket, at local: SocketAddress) {
        address = local.description
        port = Int(local.port)
        phase = Mutex(.open(socket))
    }

    deinit { stop() }

    /// Also accepts connections to addresses of other machines, which TPROXY redirects here. Source: Linux,
    /// Documentation/networking/tproxy.rst.
    ///
    /// - Returns: false if this process lacks the permission: it needs CAP_NET_ADMIN or CAP_NET_RAW (ip(7)).
    @discardableResult
    public func takeAnyAddress() -> Bool {
        phase.withLock { phase in
            guard case .open(let socket) = phase else { return false }
            return cpoll_take_any_address(socket.descriptor) == 0
        }
    }

    /// Binds and listens; connections wait in the backlog until ``start(loops:exhausted:accepted:)``.
    ///
    /// - Parameters:
    ///   - host: an IP literal, or "localhost", which is 127.0.0.1.
    ///   - port: 0 for a free one.
    ///   - backlog: the system reduces it to its own limit: `kern.ipc.somaxconn` on macOS, 128 unless raised.
    ///   - handed: inherited sockets; one for this address is used instead, with its own backlog.
    public static func open(
        host: String, port: Int, backlog: Int = 1_024, handed: InheritedSockets = .none
    ) throws(NetError) -> Listener {
        guard let wanted = SocketAddress(host: host, port: port) else { throw .badAddress("\(host):\(port)") }
        if let socket = handed.take(at: wanted) { return Listener(socket, at: wanted) }
        var system = wanted.address.cpoll(port: wanted.port)
        let answer = cpoll_listen(&system, Int32(clamping: backlog))
        guard answer >= 0 else { throw refusal(-answer, at: wanted) }
        let socket = ListeningSocket(answer)
        guard let local = SocketAddress(localOf: answer) else { throw .system(call: "getsockname", errno: EINVAL) }
        return Listener(socket, at: local)
    }

    /// True if a process listens at an address of this machine. Finds out without connecting.
    ///
    /// - Parameter host: an IP literal, or "localhost".
    /// - Returns: false also for a port that needs root. True also if an outgoing connection of this machine uses the
    ///   port, from the range of the system for such ports.
    public static func isListening(host: String, port: Int) -> Bool {
        guard let place = SocketAddress(host: host, port: port) else { return false }
        var system = place.address.cpoll(port: place.port)
        return cpoll_is_listened_at(&system) != 0
    }

    /// Starts accepting. Only the first call counts.
    ///
    /// - Parameter exhausted: receives the errno if accepting fails for lack of descriptors or memory. Accepting then
    ///   pauses for 20 ms, and connections wait in the backlog.
    public func start(
        loops: [EventLoop], exhausted: @escaping @Sendable (_ errno: Int32) -> Void = { _ in },
        accepted: @escaping AcceptHandler
    ) {
        precondition(!loops.isEmpty)
        // One loop watches, so that other loops do not wake for a connection. Several listeners use different loops.
        let home = loops[port % loops.count]
        let own = LoopLocal<Acceptor>(home)
        let socket = phase.withLock { phase -> ListeningSocket? in
            guard case .open(let socket) = phase else { return nil }
            phase = .accepting(on: home, own)
            return socket
        }
        guard let socket else { return }
        home.submit { loop in
            let acceptor = Acceptor(socket, for: loops, exhausted: exhausted, accepted: accepted)
            own.place(acceptor, on: loop)
            acceptor.begin(on: loop)
        }
    }

    /// Stops accepting soon. Connections made before are still accepted; on an inherited socket they wait for the
    /// process that keeps it. May be called again.
    public func stop() {
        let last = phase.withLock { phase in
            defer { phase = .stopped }
            return phase
        }
        // A socket without an acceptor closes when it is released.
        guard case .accepting(let home, let own) = last else { return }
        home.submit { loop in
            own.value(on: loop)?.finish(on: loop)
            own.place(nil, on: loop)
        }
    }

    private static func refusal(_ code: Int32, at address: SocketAddress) -> NetError {
        if code == EADDRINUSE { return .addressInUse(address.description) }
        if NetError.isDescriptorLimit(code) { return .descriptorLimit }
        return .cannotListen(address.description, errno: code)
    }
}

/// A listening descriptor, closed when the last reference is released.
final class ListeningSocket: Sendable {
    let descriptor: Int32
    /// True if another process, such as a service manager, also has the socket.
    let isHanded: Bool

    init(_ descriptor: Int32, isHanded: Bool = false) {
        self.descriptor = descriptor
        self.isHanded = isHanded
    }

    deinit { closeDescriptor(descriptor) }
}

/// A listening socket in the poll set of one loop. Distributes accepted connections over all loops.
final class Acceptor {
    private var socket: ListeningSocket?
    private let loops: [EventLoop]
    private let exhausted: @Sendable (Int32) -> Void
    private let accepted: Listener.AcceptHandler
    private var token = PollToken.none
    private var turn = 0
    private var pause: LoopTimer?

    init(
        _ socket: ListeningSocket, for loops: [EventLoop], exhausted: @escaping @Sendable (Int32) -> Void,
        accepted: @escaping Listener.AcceptHandler
    ) {
        self.socket = socket
        self.loops = loops
        self.exhausted = exhausted
        self.accepted = accepted
    }

    /// Starts accepting. Ends without accepting if the loop was stopped or the poll set rejects the socket.
    func begin(on loop: isolated EventLoop) {
        guard let socket, let place = try? loop.adopt(self) else { return end(on: loop) }
        token = place
        guard loop.watch(socket.descriptor, as: place, for: .read) == 0 else { return end(on: loop) }
    }

    /// Accepts the connections in the backlog, whose requests may have arrived already, then stops. If another process
    /// keeps the socket, they are left to it.
    func finish(on loop: isolated EventLoop) {
        if let socket, !socket.isHanded {
            for _ in 0..<Self.backlogAtMost {
                var peer = cpoll_address()
                let answer = cpoll_accept(socket.descriptor, &peer)
                guard answer >= 0 || -answer == ECONNABORTED else { break }
                if answer >= 0 { hand(Arrival(descriptor: answer, peer: SocketAddress(peer)), on: loop) }
            }
        }
        end(on: loop)
    }

    func end(on loop: isolated EventLoop) {
        loop.release(token)
        token = .none
        // Closing removes it from the poll set only if no other process, such as a service manager, has it open:
        // epoll(7), "Will closing a file descriptor cause it to be removed from all epoll interest lists?"
        if let socket, pause == nil { loop.unwatch(socket.descriptor, interest: .read) }
        pause = nil
        socket = nil
    }

    private func hand(_ arrival: Arrival, on loop: isolated EventLoop) {
        turn = (turn + 1) % loops.count
        let target = loops[turn]
        if target === loop { return accepted(arrival.descriptor, arrival.peer.description, loop) }
        let accepted = accepted
        target.submit { loop in accepted(arrival.descriptor, arrival.peer.description, loop) }
    }

    /// Pauses accepting. The backlog keeps the socket ready, so without a pause the loop would spin.
    private func backOff(_ code: Int32, on loop: isolated EventLoop) {
        guard let socket else { return }
        loop.unwatch(socket.descriptor, interest: .read)
        let pause = LoopTimer { [weak self] in self?.acceptMore(on: loop) }
        self.pause = pause
        pause.arm(after: Self.pauseLength, on: loop)
        exhausted(code)
    }

    private func acceptMore(on loop: isolated EventLoop) {
        pause = nil
        guard let socket else { return }
        if loop.watch(socket.descriptor, as: token, for: .read) != 0 { end(on: loop) }
    }

    /// Errors of accept(2) that pass when other descriptors are closed.
    private static let shortages: Set<Int32> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]
    private static let pauseLength = Duration.milliseconds(20)
    /// A limit, because clients may keep connecting while the backlog is emptied.
    private static let backlogAtMost = 4_096
}

extension Acceptor: PollTarget {
    /// Accepts one connection. If more wait, the next batch reports them; accepting until none is left would cost one
    /// extra call each time. Only a loop with large batches accepts more at a time, so that new clients do not starve.
    func ready(_ readiness: Readiness, on loop: isolated EventLoop) {
        for _ in 0..<max(1, loop.batchSize / Self.reportsPerArrival) {
            guard let socket, pause == nil else { return }
            var peer = cpoll_address()
            let answer = cpoll_accept(socket.descriptor, &peer)
            if answer >= 0 {
                hand(Arrival(descriptor: answer, peer: SocketAddress(peer)), on: loop)
            } else if Self.shortages.contains(-answer) {
                return backOff(-answer, on: loop)
            } else if -answer != ECONNABORTED {
                // The backlog is empty. ECONNABORTED, a connection that broke in the backlog, does not stop the loop.
                return
            }
        }
    }

    func loopStopped(on loop: isolated EventLoop) { end(on: loop) }

    private static let reportsPerArrival = 4
}

private struct Arrival: Sendable {
    let descriptor: Int32
    let peer: SocketAddress
}

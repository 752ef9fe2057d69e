import CPoll
import Synchronization

/// Accepts TCP connections on one address and spreads them evenly over the loops.
public final class Listener: Sendable {
    /// Takes a connection on its loop: `descriptor` is now the callee's to close.
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

    /// Takes connections to addresses that are not this machine's, too, which TPROXY leads here. Source: Linux,
    /// Documentation/networking/tproxy.rst.
    ///
    /// - Returns: whether this process may: it needs CAP_NET_ADMIN, or CAP_NET_RAW (ip(7)).
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
    ///   - port: 0 takes a free one.
    ///   - backlog: the system cuts it down to its own limit: `kern.ipc.somaxconn` on macOS, 128 unless raised.
    ///   - handed: a socket that was handed over for this address is taken instead, with the backlog that it has.
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

    /// Whether somebody listens at an address of this machine, told without connecting there.
    ///
    /// - Parameter host: an IP literal, or "localhost".
    /// - Returns: false also for a port that only root may listen at; true also for one that a connection made from here
    ///   has taken for its own end, which systems choose from a range of their own.
    public static func isListening(host: String, port: Int) -> Bool {
        guard let place = SocketAddress(host: host, port: port) else { return false }
        var system = place.address.cpoll(port: place.port)
        return cpoll_is_listened_at(&system) != 0
    }

    /// Begins accepting. Only the first call counts.
    ///
    /// - Parameter exhausted: hears the errno when accepting failed for want of descriptors or memory; nothing is
    ///   accepted for the next 20 ms then, and connections wait in the backlog.
    public func start(
        loops: [EventLoop], exhausted: @escaping @Sendable (_ errno: Int32) -> Void = { _ in },
        accepted: @escaping AcceptHandler
    ) {
        precondition(!loops.isEmpty)
        // One loop watches, so that nobody else wakes for a connection. Several listeners take different ones.
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

    /// Closes the listening socket soon. Who has connected by then is accepted; connections to one that was handed over
    /// wait for whoever keeps it. May be called again.
    public func stop() {
        let last = phase.withLock { phase in
            defer { phase = .stopped }
            return phase
        }
        // A socket that nobody watches is closed by being let go.
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

/// Closes its descriptor when the last one lets go of it.
final class ListeningSocket: Sendable {
    let descriptor: Int32
    /// Somebody else, as a service manager, has it as well.
    let isHanded: Bool

    init(_ descriptor: Int32, isHanded: Bool = false) {
        self.descriptor = descriptor
        self.isHanded = isHanded
    }

    deinit { closeDescriptor(descriptor) }
}

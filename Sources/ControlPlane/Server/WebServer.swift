import Dispatch
public import NetLoop
import Synchronization
import Text

/// Serves the page and its API on its own low-priority event loop, so that the gate never waits for it.
public final class WebServer: Sendable {
    /// The address, with the real port.
    public let address: WebAddress
    private let listener: Listener
    private let loop: EventLoop
    private let limits: WebLimits
    private let isOver = Mutex(false)

    /// Listens; clients wait until ``start(_:)``.
    ///
    /// - Parameters:
    ///   - tries: the number of ports to try, each one higher than the last, while they are in use.
    ///   - handed: inherited sockets; one for this address is used instead of a new one.
    public init(
        _ wanted: WebAddress, tries: Int = 1, handed: InheritedSockets = .none, limits: WebLimits = WebLimits()
    ) throws(NetError) {
        listener = try Self.listener(at: wanted, tries: tries, handed)
        loop = try EventLoop(index: 0, quality: .utility)
        address = WebAddress(host: wanted.host, port: listener.port)
        self.limits = limits
    }

    deinit { end {} }

    /// Serves the routes of `router` until ``stop()``. Only the first call counts.
    public func start(_ router: WebRouter) {
        let acceptor = WebAcceptor(to: router, limits: limits)
        listener.start(loops: [loop]) { descriptor, peer, loop in acceptor.admit(descriptor, from: peer, on: loop) }
    }

    /// Closes the address and all connections; a second call does nothing. Blocks for ``WebLimits/end`` at most.
    public func stop() {
        let ended = DispatchSemaphore(value: 0)
        guard end({ ended.signal() }) else { return }
        _ = ended.wait(timeout: .now() + .milliseconds(Int(limits.end / .milliseconds(1))))
    }

    /// - Parameter then: called when everything is closed; not called if the server was stopped before.
    @discardableResult
    private func end(_ then: @escaping @Sendable () -> Void) -> Bool {
        let wasOver = isOver.withLock { isOver in
            defer { isOver = true }
            return isOver
        }
        guard !wasOver else { return false }
        listener.stop()
        loop.stop()
        loop.submit { _ in then() }
        return true
    }

    private static func listener(
        at wanted: WebAddress, tries: Int, _ handed: InheritedSockets
    ) throws(NetError) -> Listener {
        for attempt in 0..<max(tries - 1, 0) where wanted.port != 0 {
            do throws(NetError) {
                return try listen(host: wanted.host, port: wanted.port + attempt, handed)
            } catch .addressInUse {
                continue
            }
        }
        return try listen(host: wanted.host, port: wanted.port == 0 ? 0 : wanted.port + max(tries - 1, 0), handed)
    }

    /// The backlog is short: a flood fills it rather than the gate's descriptor table.
    private static func listen(host: String, port: Int, _ handed: InheritedSockets) throws(NetError) -> Listener {
        try Listener.open(host: host, port: port, backlog: 32, handed: handed)
    }
}

/// Accepts connections up to the limit.
final class WebAcceptor: Sendable {
    let router: WebRouter
    let limits: WebLimits
    /// Runs slow reads, so that they do not block the loop that serves the other clients.
    let questions: AnswerQueue
    /// Runs changes, one after the other.
    let changes = AnswerQueue(limit: 1)
    private let slots: Slots

    init(to router: WebRouter, limits: WebLimits) {
        self.router = router
        self.limits = limits
        questions = AnswerQueue(limit: limits.answers)
        slots = Slots(limit: limits.connections)
    }

    /// Serves a connection, or closes it if the limit is reached.
    func admit(_ descriptor: Int32, from peer: String, on loop: isolated EventLoop) {
        let stream = ByteStream(descriptor: descriptor, handler: nil, peerAddress: peer)
        let others = slots.taken
        guard let slot = slots.take() else { return stream.close(on: loop) }
        let isCrowded = others * 2 >= limits.connections
        let timeout = isCrowded ? min(limits.crowdedIdle, limits.idle) : limits.idle
        stream.handler = WebConnection(stream, slot, of: self, timeout: timeout, on: loop)
        // The loop was stopped or is out of memory.
        if (try? stream.attach(to: loop)) == nil { stream.close(on: loop) }
    }
}

/// The address at which the page is served.
public struct WebAddress: Sendable, Hashable {
    /// An IP address, or `localhost`.
    public var host: String
    /// 0 for a free port that the system chooses.
    public var port: Int

    public init(host: String = "127.0.0.1", port: Int = 9803) {
        self.host = host
        self.port = port
    }

    /// True if only this machine can reach it.
    public var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

    /// `HOST:PORT`, an IPv6 address in brackets.
    public var text: String { Authority(host: host, port: port).description }

    /// The address that a browser on this machine uses.
    public var reachable: String { Authority(host: host, port: port).reachable.description }
}

/// Limits for browsers and scripts. Clients that exceed them are cut off, so that the gate's own work never waits for
/// them.
public struct WebLimits: Sendable {
    /// Concurrent connections, event streams included; more are closed immediately.
    public var connections = 64
    /// Concurrent event streams.
    public var streams = 16
    /// Bytes of a request's head.
    public var headBytes = 16_384
    /// Fields of a request's head.
    public var fields = 64
    /// Bytes of a request's body. Only clients with the token may send one.
    public var bodyBytes = 2_097_152
    /// The time that a connection may be idle, and that a request may take to arrive.
    public var idle = Duration.seconds(20)
    /// The time that a connection may be without its first request while at least half of ``connections`` are in use.
    /// Idle connections make room for active ones.
    public var crowdedIdle = Duration.seconds(1)
    /// Answers that are made at the same time, not counting quick ones.
    public var answers = 3
    /// The time that an unused connection to a shared store stays open.
    public var idleStore = Duration.seconds(60)
    /// The time that making an answer may take.
    public var answer = Duration.seconds(60)
    /// The time that a client may stop reading an answer.
    public var stall = Duration.seconds(20)
    /// The time that shutting down may take, for the server and for a connection after its last answer.
    public var end = Duration.seconds(2)

    public init() {}
}

/// A counting limit: each user takes a slot, which is returned when its last reference goes away.
final class Slots: Sendable {
    private let count = Mutex(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// One taken slot.
    final class Slot: Sendable {
        private let slots: Slots

        fileprivate init(_ slots: Slots) {
            self.slots = slots
        }

        deinit { slots.count.withLock { $0 -= 1 } }
    }

    /// Returns nil if all slots are taken.
    func take() -> Slot? {
        let isFree = count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        return isFree ? Slot(self) : nil
    }

    var taken: Int { count.withLock { $0 } }
}

import Dispatch
public import NetLoop
import Synchronization

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

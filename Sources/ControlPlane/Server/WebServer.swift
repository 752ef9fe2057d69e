import Dispatch
public import NetLoop
import Synchronization

/// Serves the page and its API on an event loop of its own, of low priority: nothing of the gate waits for it.
public final class WebServer: Sendable {
    /// With the real port.
    public let address: WebAddress
    private let listener: Listener
    private let loop: EventLoop
    private let limits: WebLimits
    private let isOver = Mutex(false)

    /// Listens, and leaves whoever connects waiting until ``start(_:)``.
    ///
    /// - Parameters:
    ///   - tries: ports to try, each one higher than the last, while they are taken.
    ///   - handed: a socket that was handed over for an address is taken instead of a new one.
    public init(
        _ wanted: WebAddress, tries: Int = 1, handed: InheritedSockets = .none, limits: WebLimits = WebLimits()
    ) throws(NetError) {
        listener = try Self.listener(at: wanted, tries: tries, handed)
        loop = try EventLoop(index: 0, quality: .utility)
        address = WebAddress(host: wanted.host, port: listener.port)
        self.limits = limits
    }

    deinit { end {} }

    /// Serves what `router` leads to until ``stop()``. Only the first call counts.
    public func start(_ router: WebRouter) {
        let acceptor = WebAcceptor(to: router, limits: limits)
        listener.start(loops: [loop]) { descriptor, peer, loop in acceptor.admit(descriptor, from: peer, on: loop) }
    }

    /// Ends what is being served and closes the address; the second time, nothing. Blocks for ``WebLimits/end`` at most.
    public func stop() {
        let ended = DispatchSemaphore(value: 0)
        guard end({ ended.signal() }) else { return }
        _ = ended.wait(timeout: .now() + .milliseconds(Int(limits.end / .milliseconds(1))))
    }

    /// - Parameter then: called when it is over; not at all where it was before.
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

    /// Few wait at a time: whoever floods it fills this, and not the gate's table of descriptors.
    private static func listen(host: String, port: Int, _ handed: InheritedSockets) throws(NetError) -> Listener {
        try Listener.open(host: host, port: port, backlog: 32, handed: handed)
    }
}

import FlyingSocks
import Foundation
import Synchronization

/// Serves the page and its API on sockets of FlyingFox, in tasks of low priority: nothing of the gate waits for it.
///
/// FlyingFox's own server sets no bound to a head, to connections or to their silence (version 0.27.1), so heads are
/// read by `HTTPWire` and connections counted here; requests and answers are FlyingFox's.
public final class WebServer: Sendable {
    /// With the real port.
    public let address: WebAddress
    private let socket: Socket
    private let limits: WebLimits
    private let state = Mutex(State())

    private struct State {
        var task: Task<Void, Never>?
        /// A descriptor is closed once: its number may be another's a moment later.
        var isClosed = false
    }

    /// Why it can not listen.
    public struct CannotListen: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Listens, and leaves whoever connects waiting until ``start(_:)``.
    ///
    /// - Parameter tries: ports to try, each one higher than the last, while they are taken.
    public init(_ wanted: WebAddress, tries: Int = 1, limits: WebLimits = WebLimits()) throws(CannotListen) {
        var address = wanted
        var found: Socket?
        for attempt in 0..<max(tries, 1) where found == nil {
            address.port = wanted.port == 0 ? 0 : wanted.port + attempt
            do {
                found = try address.listen()
            } catch SocketError.failed(_, let number, _) where number == EADDRINUSE && attempt + 1 < tries {
                continue
            } catch {
                throw CannotListen(description: "\(address.text): \(error.localizedDescription)")
            }
        }
        guard let found else { throw CannotListen(description: "no port is free from \(wanted.text) on") }
        socket = found
        address.port = found.port ?? address.port
        self.address = address
        self.limits = limits
    }

    /// Serves `site` until ``stop()``.
    public func start(_ site: any WebSite) {
        state.withLock { state in
            guard state.task == nil, !state.isClosed else { return }
            state.task = Task(priority: .utility) { [socket, limits] in
                let pool = SocketPool.make()
                guard (try? await pool.prepare()) != nil else { return }
                await withTaskGroup { group in
                    group.addTask { _ = try? await pool.run() }
                    group.addTask { await WebDoor(socket: socket, pool: pool, limits: limits).admit(to: site) }
                    // Neither ends by itself.
                    await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    /// Ends what is being served and closes the address; the second time, nothing. Blocks for ``WebLimits/end`` at most.
    public func stop() {
        let running = state.withLock { state in
            defer { state.isClosed = true }
            return (task: state.task, isFirst: !state.isClosed)
        }
        guard running.isFirst else { return }
        if let running = running.task {
            let ended = DispatchSemaphore(value: 0)
            running.cancel()
            Task {
                await running.value
                ended.signal()
            }
            let end = DispatchTime.now() + .seconds(Int(limits.end.components.seconds))
            // Still in use: better left open than its number handed to another.
            guard ended.wait(timeout: end) == .success else { return }
        }
        try? socket.close()
    }
}

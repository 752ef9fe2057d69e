import ControlPlane
import Foundation
import Logging
import NetLoop
import ProxyServer
import Synchronization
import Text

/// The connection to the service manager that started the gate: its sockets and notifications. Does nothing without
/// one.
struct Service {
    private let handed: InheritedSockets
    private let manager: ServiceManager?

    /// Takes the sockets that were passed to this process. Call once.
    ///
    /// - Throws: ``CommandFailure`` with 64 for a descriptor that is not a listening socket.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        manager = ServiceManager(in: environment)
        do throws(InheritedSocketError) {
            handed = try InheritedSockets(in: environment, process: getpid())
        } catch {
            throw CommandFailure.usage("\(error)")
        }
    }

    /// The listeners, with the addresses of the sockets that some of them name: one listener for each socket.
    ///
    /// - Throws: ``CommandFailure`` with 64 for an unknown name; it lists the known ones.
    func listeners(_ wanted: [ListenAddress]) throws -> [ListenAddress] {
        try wanted.flatMap { listener in
            guard let name = listener.socketName else { return [listener] }
            let places = handed.endpoints(named: name)
            guard places.isEmpty else {
                return places.map { place in
                    var named = listener
                    (named.host, named.port) = place
                    return named
                }
            }
            let names = handed.names.isEmpty ? "there are none" : "names: " + handed.names.joined(separator: ", ")
            throw CommandFailure.usage("no socket named \(name) was passed (LISTEN_FDNAMES); \(names)".printable)
        }
    }

    /// The sockets that were passed.
    ///
    /// - Throws: ``CommandFailure`` with 64 if a socket's address has no listener: its clients would wait forever,
    ///   because the gate accepts none of them.
    func sockets(for listeners: [ListenAddress], and pages: [WebAddress?]) throws -> InheritedSockets {
        let places = listeners.map { ($0.host, $0.port) } + pages.compactMap(\.self).map { ($0.host, $0.port) }
        let named = Set(places.compactMap { InheritedSockets.address(host: $0, port: $1) })
        guard let stranger = handed.addresses.first(where: { !named.contains($0) }) else { return handed }
        throw CommandFailure.usage(
            "a socket at \(stranger) was passed, but none of --listen, --web and --metrics names that address")
    }

    /// Reports that clients can connect.
    func isReady(at addresses: [ListenAddress], log: Logger) {
        notify(.ready("listening on " + addresses.map(\.text).joined(separator: ", ")), log)
    }

    /// Reports that policy and roots are being reloaded; ``isReady(at:log:)`` follows.
    func isReloading(log: Logger) { notify(.reloading, log) }

    /// Sends systemd's watchdog ping while the gate is alive.
    ///
    /// - Returns: nil if no watchdog is configured.
    func watch(_ monitor: GateMonitor, log: Logger) -> Watchdog? {
        guard let period = manager?.watchdogPeriod else { return nil }
        return Watchdog(every: period / 2) {
            if let trouble = monitor.trouble { log.error("\(trouble)") } else { notify(.alive, log) }
        }
    }

    /// Reports that the gate is stopping, and the maximum time for that.
    func isStopping(within time: Duration, log: Logger) { notify(.stopping(within: time), log) }

    private func notify(_ news: ServiceManager.Notification, _ log: Logger) {
        do throws(NetError) { try manager?.notify(news) } catch { log.warning("\(error)") }
    }
}

/// Calls a function immediately and then periodically, on its own queue.
final class Watchdog: Sendable {
    private let period: DispatchTimeInterval
    private let work: @Sendable () -> Void
    private let queue = DispatchQueue(label: "atsgate.watchdog")
    private let isOver = Atomic(false)

    /// - Parameter work: may block; if it takes longer than a period, the next call follows directly.
    init(every period: Duration, _ work: @escaping @Sendable () -> Void) {
        self.period = .milliseconds(max(Int(period / .milliseconds(1)), 1))
        self.work = work
        queue.async { [weak self] in self?.beat() }
    }

    /// Ends the calls; one that has started is finished.
    func stop() { isOver.store(true, ordering: .relaxed) }

    private func beat() {
        guard !isOver.load(ordering: .relaxed) else { return }
        let next = DispatchTime.now() + period
        work()
        queue.asyncAfter(deadline: next) { [weak self] in self?.beat() }
    }
}

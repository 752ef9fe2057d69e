import ControlPlane
import Foundation
import Logging
import NetLoop
import ProxyServer
import Text

/// What the gate has from whoever started it as a service, and tells it; nothing of it where nobody did.
struct Service {
    private let handed: InheritedSockets
    private let manager: ServiceManager?

    /// Takes over the sockets that were handed to this process. Call once.
    ///
    /// - Throws: ``CommandFailure`` with 64 for what is no socket that listens.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        manager = ServiceManager(in: environment)
        do throws(InheritedSocketError) {
            handed = try InheritedSockets(in: environment, process: getpid())
        } catch {
            throw CommandFailure.usage("\(error)")
        }
    }

    /// The listeners, with the addresses of the sockets that some of them name: one for each socket.
    ///
    /// - Throws: ``CommandFailure`` with 64 that tells the names there are, for one that is not there.
    func listeners(_ wanted: [ListenAddress]) throws -> [ListenAddress] {
        try wanted.flatMap { listener in
            guard let name = listener.socketName else { return [listener] }
            let places = handed.places(named: name)
            guard places.isEmpty else {
                return places.map { place in
                    var named = listener
                    (named.host, named.port) = place
                    return named
                }
            }
            let names = handed.names.isEmpty ? "none was" : "those are named " + handed.names.joined(separator: ", ")
            throw CommandFailure.usage("no socket named \(name) was handed over (LISTEN_FDNAMES); \(names)".printable)
        }
    }

    /// What was handed over.
    ///
    /// - Throws: ``CommandFailure`` with 64 where a socket is at no address that is listened on: nobody would accept
    ///   clients from it, and they would wait for ever.
    func sockets(for listeners: [ListenAddress], and pages: [WebAddress?]) throws -> InheritedSockets {
        let places = listeners.map { ($0.host, $0.port) } + pages.compactMap(\.self).map { ($0.host, $0.port) }
        let named = Set(places.compactMap { InheritedSockets.address(host: $0, port: $1) })
        guard let stranger = handed.addresses.first(where: { !named.contains($0) }) else { return handed }
        throw CommandFailure.usage(
            "a socket at \(stranger) was handed over, and none of --listen, --web and --metrics names that address")
    }

    /// Clients can come.
    func isReady(at addresses: [ListenAddress], log: Logger) {
        tell(.ready("listening on " + addresses.map(\.text).joined(separator: ", ")), log)
    }

    /// Policy and roots are read again; ``isReady(at:log:)`` follows.
    func isReloading(log: Logger) { tell(.reloading, log) }

    /// Has it hear as often as it wants that the gate lives, as long as that is so.
    ///
    /// - Returns: nil where nobody wants to hear it.
    func watch(_ monitor: GateMonitor, log: Logger) -> Watchdog? {
        guard let period = manager?.watchdogPeriod else { return nil }
        return Watchdog(every: period / 2) {
            if let trouble = monitor.trouble { log.error("\(trouble)") } else { tell(.alive, log) }
        }
    }

    /// It ends, and takes that long for it at most.
    func isStopping(within time: Duration, log: Logger) { tell(.stopping(within: time), log) }

    private func tell(_ news: ServiceManager.Notification, _ log: Logger) {
        do throws(NetError) { try manager?.tell(news) } catch { log.warning("\(error)") }
    }
}

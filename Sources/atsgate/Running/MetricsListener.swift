import ControlPlane
import Foundation
import NetLoop
import ProxyServer
import Records
import Reporting

/// Where machines ask how the gate fares, from the options of a command; without `--metrics` nowhere.
struct MetricsListener: Sendable {
    let monitor = GateMonitor(version: toolVersion)
    private let server: WebServer?

    /// Listens and answers at once: that the gate is not ready is an answer, too.
    ///
    /// - Parameter handed: sockets that are there already.
    /// - Throws: ``CommandFailure`` with 64 for an address that other machines reach without `--allow-lan`, or that is
    ///   not this machine's, with 69 for one that is in use.
    init(_ choices: GateChoices, handed: InheritedSockets = .none) throws {
        guard let address = choices.metrics else {
            server = nil
            return
        }
        try choices.checkReach(of: address)
        let opened: WebServer
        do throws(NetError) {
            opened = try WebServer(address, handed: handed, limits: .monitoring)
        } catch {
            throw CommandFailure.listening(at: address.text, error, "metrics can not be served: \(error)")
        }
        opened.start(
            .monitoring(monitor, port: opened.address.port, takesAnyName: !opened.address.isLoopback))
        server = opened
    }

    /// Counts loads for it, and for the page where there is one; none where nobody asks.
    func sinks(with page: LivePage?) -> [any RecordSink] {
        server == nil && page == nil ? [] : [monitor.loads]
    }

    /// The gate serves.
    func begin(_ open: OpenGate) {
        open.gate.whenPolicyChanges { [monitor] change in
            switch change {
            case .inForce: monitor.noteReload(isInForce: true)
            case .kept: monitor.noteReload(isInForce: false)
            }
        }
        monitor.begin(open.signs)
    }

    /// As in `http://127.0.0.1:9804/metrics`; nil where it is not served.
    var url: String? { server.map { "http://\($0.address.reachable)/metrics" } }

    /// nil where it is not served.
    var port: Int? { server?.address.port }

    /// Other machines can reach it.
    var exposure: String? {
        guard let server, !server.address.isLoopback else { return nil }
        let place = server.address.text
        return "warning: \(place) can be reached by other machines: its numbers are for everybody who asks"
    }

    /// Ends it, in a second or two.
    func stop() { server?.stop() }
}

import ControlPlane
import Foundation
import NetLoop
import ProxyServer
import Records
import Reporting

/// The server for metrics and health, from the options of a command; there is none without `--metrics`.
struct MetricsListener: Sendable {
    let monitor = GateMonitor(version: toolVersion)
    private let server: WebServer?

    /// Opens the listener and answers immediately, even before the gate is ready.
    ///
    /// - Parameter handed: sockets that are already open.
    /// - Throws: ``CommandFailure`` with 64 for an address that other machines can reach, without `--allow-lan`, or
    ///   that this machine does not have; with 69 for one that is in use.
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
            throw CommandFailure.listening(at: address.text, error, "metrics cannot be served: \(error)")
        }
        opened.start(
            .monitoring(monitor, port: opened.address.port, takesAnyName: !opened.address.isLoopback))
        server = opened
    }

    /// The sinks that count loads for metrics and the page; empty without both.
    func sinks(with page: LivePage?) -> [any RecordSink] {
        server == nil && page == nil ? [] : [monitor.loads]
    }

    /// Marks the gate as serving.
    func begin(_ open: OpenGate) {
        open.gate.whenPolicyChanges { [monitor] change in
            switch change {
            case .inForce: monitor.noteReload(isInForce: true)
            case .kept: monitor.noteReload(isInForce: false)
            }
        }
        monitor.begin(open.signs)
    }

    /// As in `http://127.0.0.1:9804/metrics`; nil without `--metrics`.
    var url: String? { server.map { "http://\($0.address.reachable)/metrics" } }

    /// nil without `--metrics`.
    var port: Int? { server?.address.port }

    /// A warning if other machines can reach the metrics.
    var exposure: String? {
        guard let server, !server.address.isLoopback else { return nil }
        let place = server.address.text
        return "warning: other machines can reach \(place), and anyone there can read its metrics"
    }

    /// Stops the server within a second or two.
    func stop() { server?.stop() }
}

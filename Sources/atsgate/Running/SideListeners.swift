import Capture
import ControlPlane
import Diagnosis
import Foundation
import NetLoop
import Onboarding
import ProxyServer
import Records
import Reporting

/// The listeners next to a gate, from the options of a command: for names, for the page and for metrics.
struct SideListeners {
    /// nil if there is no page.
    let page: LivePage?
    let metrics: MetricsListener
    /// nil without `--names`.
    private let names: NameServer?

    /// Opens the listeners. Names and metrics are answered from here on, the page after ``serve(_:by:)``.
    ///
    /// - Parameters:
    ///   - usualPage: the default address of the page; nil for no page.
    ///   - settings: have the sockets that are already open; get addresses for the names of `--connect-to`.
    ///   - names: those of a captured command, whose addresses the settings already have; nil without one.
    /// - Throws: ``CommandFailure`` with 64 for an address that other machines can reach, without `--allow-lan`, or
    ///   that this machine does not have; with 69 for one that is in use. No listener stays open then.
    init(_ choices: GateChoices, usualPage: WebAddress?, of settings: inout GateSettings, names: GateNames?) throws {
        let deviceNames = names ?? GateNames(settings.connectTo)
        self.names = try NameServer.forDevices(choices, deviceNames)
        if self.names != nil, names == nil { settings.connectTo += deviceNames.detours }
        var page: LivePage?
        do {
            page = try LivePage(choices, usual: usualPage, handed: settings.handed)
            metrics = try MetricsListener(choices, handed: settings.handed)
        } catch {
            page?.stop()
            self.names?.stop()
            throw error
        }
        self.page = page
    }

    /// The sinks that collect records for them.
    var sinks: [any RecordSink] { (page?.sinks ?? []) + metrics.sinks(with: page) }

    /// The devices that the page knows.
    var devices: DeviceMemory { page?.devices ?? DeviceMemory() }

    /// Serves the state of `open` from here on.
    ///
    /// - Throws: ``CommandFailure`` with 74 if the page's address cannot be written.
    func serve(_ open: OpenGate, by rules: JudgementRules) throws {
        try page?.serve(open, metrics.monitor, by: rules)
        metrics.begin(open)
    }

    /// Stops page and metrics within a second or two.
    func stopServing() {
        page?.stop()
        metrics.stop()
    }

    /// Stops all listeners within a second or two.
    func stop() {
        stopServing()
        names?.stop()
    }
}

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

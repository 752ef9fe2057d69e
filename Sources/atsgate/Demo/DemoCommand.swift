import ATSPolicy
import ArgumentParser
import ControlPlane
import Dispatch
import Foundation
import Lab
import NetLoop
import ProxyServer
import Reporting
import TLSEngine
import Text

/// Shows all of atsgate on this machine alone: flawed origins, a gate with a dictionary, its page, real loads, and the
/// report.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows what atsgate does, using its own test servers: needs no app, no network and no file.",
        discussion: """
            Starts the flawed servers of atsgate lab, a gate whose dictionary has one exception, and the live page; \
            sends twelve loads to each server, as an app would; and prints the report. On a terminal, the gate, the \
            page and the servers then run until SIGINT or SIGTERM; otherwise the demo ends. Nothing is kept.

            Exit code: 0; 2 when a load did not end as the lab expects.
            """)

    @Flag(help: "Open the live page in a browser.")
    var open = false

    func run() throws {
        let stage = try DemoStage()
        defer { stage.end() }
        let stop = DispatchSemaphore(value: 0)
        let signals = SignalWatcher([SIGINT, SIGTERM, SIGHUP]) { _ in stop.signal() }
        defer { signals.stop() }
        let choices = stage.choices
        var settings = try choices.gateSettings()
        let beside = try SideListeners(choices, usualPage: WebAddress(), telling: &settings)
        defer { beside.stop() }
        let gate = try OpenGate(choices, settings: settings, sinks: beside.sinks, devices: beside.devices)
        var isClosed = false
        defer {
            if !isClosed {
                gate.gate.stop()
                _ = gate.close()
            }
        }
        try beside.serve(gate)
        let surprises = try send(stage.loads, through: gate)
        gate.flush()
        try report(gate, choices)
        surprises.forEach(StandardError.printError)
        if let page = beside.page, open { Browser.open(page.url) }
        if isatty(STDERR_FILENO) == 1 {
            StandardError.writeLine(DemoWords(gate: gate, page: beside.page).next)
            stop.wait()
        }
        isClosed = true
        gate.gate.stop()
        _ = gate.close()
        guard surprises.isEmpty else { throw ExitCode(CommandFailure.internalExitCode) }
    }

    /// - Returns: A sentence for each origin whose loads did not end as expected.
    private func send(_ loads: [DemoLoad], through gate: OpenGate) throws -> [String] {
        guard let listener = gate.gate.addresses.first, let certificate = gate.gate.authority.certificatePath else {
            return ["the gate is not listening"]
        }
        StandardError.writeLine("Sending \(loads.count) loads through the gate at \(listener.url).")
        let client = try LabClient(
            proxyPort: listener.port, trust: TrustStore(systemRootsPEM: [], userRootsPEM: [certificate]),
            offer: .diagnostic)
        let outcomes = try client.send(loads.map(\.load))
        var surprises: [String: String] = [:]
        for (load, outcome) in zip(loads, outcomes) where load.passes != (outcome == .answered(status: 200)) {
            surprises[load.load.host] =
                "\(load.load.host): expected to be \(load.passes ? "allowed" : "blocked"), but \(outcome)"
        }
        return surprises.values.sorted()
    }

    private func report(_ gate: OpenGate, _ choices: GateChoices) throws {
        guard let path = choices.storePath else { return }
        let reader = try StoreReader(path: path)
        try Output.withOutput(to: nil) { output in
            let context = ReportContext(
                declaration: gate.declaration, toolVersion: toolVersion, isColoured: wantsColour(on: output.descriptor))
            let report = try reader.grouped(RecordFilter(recording: gate.recording), context)
            try output.write(wrapped: report.text(as: .text) ?? "")
        }
    }
}

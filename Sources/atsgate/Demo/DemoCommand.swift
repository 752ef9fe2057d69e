import ATSPolicy
import ArgumentParser
import Dispatch
import Foundation
import Lab
import ProxyServer
import Reporting
import TLSEngine
import Text

/// Shows all of atsgate on this machine alone: flawed origins, a gate with a dictionary, its page, real loads, and the
/// report.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows blocked loads, with its own test servers.",
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
        let run = try GateRun(stage.choices, stage.choices.gateSettings(), as: .served)
        let stop = DispatchSemaphore(value: 0)
        try run.live {
            try run.signals.pass(to: { _ in stop.signal() }) {
                try run.begin()
                let surprises = try show(stage, run)
                if isatty(STDERR_FILENO) == 1 {
                    StandardError.writeLine(next(run.open, page: run.side.page))
                    stop.wait()
                }
                run.open.gate.stop()
                return RunWork(status: surprises.isEmpty ? 0 : Self.surprisedExitCode)
            }
        }
    }

    /// Sends the loads, prints the report, and opens the page if requested.
    ///
    /// - Returns: A sentence for each origin whose loads did not end as expected, which is printed, too.
    private func show(_ stage: DemoStage, _ run: GateRun) throws -> [String] {
        let surprises = try send(stage.loads, through: run.open)
        run.open.flush()
        try report(run.open)
        surprises.forEach(StandardError.printError)
        if let page = run.side.page, open { Self.browse(page.url) }
        return surprises
    }

    /// docs/exit-codes.md.
    private static let surprisedExitCode: Int32 = 2

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

    private func report(_ gate: OpenGate) throws {
        let reader = try gate.records.reader()
        try Output.withOutput(to: nil) { output in
            let context = ReportContext(
                declaration: gate.declaration, toolVersion: toolVersion, isColoured: wantsColour(on: output.descriptor))
            let report = try reader.grouped(RecordFilter(recording: gate.recording), context)
            try output.write(wrapped: report.text(as: .text) ?? "")
        }
    }

    /// The text while the demo keeps running: commands to try.
    private func next(_ gate: OpenGate, page: LivePage?) -> String {
        let authority = (gate.gate.authority.certificatePath ?? "").shellWord
        let curl = "curl -x \(gate.proxyURL)"
        var rows: [(String, String)] = []
        if let page { rows.append(("see all loads", page.url)) }
        rows += [
            ("a blocked load", "\(curl) http://cleartext.lab.test/"),
            ("a blocked https load", "\(curl) --cacert \(authority) https://rsa-kx.lab.test/"),
            ("an allowed load", "\(curl) --cacert \(authority) https://good.lab.test/"),
            ("explain a code", "atsgate explain \"-1200 [3:-9802]\""),
            ("your own app", "atsgate proxy --policy MyApp.app"),
        ]
        let lines = rows.map { "  " + $0.0.padded(to: Self.labelColumns) + $0.1 }
        return (["", "The gate, its servers and its page run until you press Control-C. Try:"] + lines)
            .joined(separator: "\n")
    }

    private static let labelColumns = 22

    /// Opens an address in the default browser with the system's command, or prints it if the command is missing.
    private static func browse(_ address: String) {
        #if os(macOS)
        let command = "/usr/bin/open"
        #else
        // From xdg-utils, which desktops include.
        let command = "/usr/bin/xdg-open"
        #endif
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = [address]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            StandardError.writeLine("No browser could be opened (\(command) is missing): open \(address)")
        }
    }
}

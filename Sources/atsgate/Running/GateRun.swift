import ControlPlane
import Diagnosis
import Foundation
import ProxyServer
import Reporting
import Text

/// One life of a gate, the same for `proxy`, `run` and `demo`: ``init(_:_:as:judging:names:)`` opens everything,
/// ``live(_:)`` lets a command work with the gate, and ``RunEnd`` closes, reports and judges.
struct GateRun {
    /// The differences between the commands.
    enum Kind {
        /// `proxy` and `demo`: the gate serves until a signal ends it.
        case served
        /// `run`: the gate serves one command, and its words come before those of the gate.
        case command(isCaptured: Bool)
    }

    let kind: Kind
    let choices: GateChoices
    let settings: GateSettings
    let judging: RunJudging
    /// The page, the metrics and the names next to the gate.
    let side: SideListeners
    let open: OpenGate
    let signals: RunSignals

    /// Opens the listeners, the gate and the records. Prints nothing yet.
    ///
    /// - Parameters:
    ///   - settings: derived from `choices`, with the defaults of the command.
    ///   - names: those of a captured command.
    /// - Throws: ``CommandFailure``; everything is closed then.
    init(
        _ choices: GateChoices, _ settings: GateSettings, as kind: Kind, judging: RunJudging = RunJudging(),
        names: GateNames? = nil
    ) throws {
        try ReportFiles.check(choices.reports)
        (self.kind, self.choices, self.judging) = (kind, choices, judging)
        var settings = settings
        side = try SideListeners(choices, usualPage: kind.isServed ? WebAddress() : nil, of: &settings, names: names)
        self.settings = settings
        signals = RunSignals(kind.signals)
        if let path = choices.portFile { WholeFile.forget(path) }
        do {
            open = try OpenGate(
                choices, settings: settings,
                sinks: choices.consoleSinks(usually: kind.console(isVerbose: choices.isVerbose)) + side.sinks,
                devices: side.devices)
        } catch {
            side.stop()
            throw error
        }
    }

    /// Lets the gate serve while `work` runs, then ends it.
    ///
    /// - Parameter work: begins with ``begin(printing:)``, and returns when the gate has stopped. Returns the exit code
    ///   of the command that it ran, 0 without one.
    /// - Throws: ``CommandFailure``, and `ExitCode` if it is not 0.
    func live(_ work: () throws -> RunWork) throws {
        defer { side.stop() }
        let done: RunWork
        do {
            done = try work()
        } catch {
            LastResort.arm(after: LastResort.grace)
            open.gate.stop()
            side.stopServing()
            _ = open.records.writeReports(of: open.close(), by: judging.rules)
            throw error
        }
        side.stopServing()
        try RunEnd(self, open.close()).finish(after: done)
    }

    /// Serves the page and the metrics, prints the lines of `notice`, and writes the file with the ports.
    ///
    /// - Throws: ``CommandFailure`` with 74 if a file with addresses cannot be written.
    func begin(printing notice: () -> [String] = { [] }) throws {
        try side.serve(open, by: judging.rules)
        notice().forEach(StandardError.writeLine)
        guard let path = choices.portFile else { return }
        let ports = open.gate.addresses.map(\.port) + [side.metrics.port].compactMap(\.self)
        try WholeFile.write(ports.map { "\($0)\n" }.joined(), to: path)
    }

    /// Warnings and notes for the start.
    var remarks: [String] {
        settings.witnessRemarks + choices.remarks(on: open.declaration) + open.problemRemarks
            + (open.records.shared?.remarks ?? [])
    }

    /// The addresses that `run` prints: without `--web` and `--metrics`, none.
    var commandNotice: [String] {
        [
            side.page.map { "page \($0.url)" }, side.page?.remark, side.metrics.url.map { "metrics \($0)" },
            side.metrics.exposure,
        ].compactMap(\.self)
    }

    /// Lets loads in flight finish, within the time limit of `--drain`.
    ///
    /// - Parameter done: called when the gate has stopped.
    func drain(_ done: @escaping @Sendable () -> Void) {
        LastResort.arm(after: settings.timeouts.drain + LastResort.grace)
        side.metrics.monitor.drain()
        open.gate.drain(done: done)
    }
}

extension GateRun.Kind {
    fileprivate var isServed: Bool {
        if case .served = self { true } else { false }
    }

    /// A command's own output comes before the loads; the report at the end shows all of them.
    fileprivate func console(isVerbose: Bool) -> ConsoleStyle { isServed || isVerbose ? .short : .none }

    fileprivate var signals: [Int32] { isServed ? [SIGHUP, SIGTERM, SIGINT] : ChildProcess.forwarded }
}

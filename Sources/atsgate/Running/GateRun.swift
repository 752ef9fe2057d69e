import ControlPlane
import Diagnosis
import Foundation
import Logging
import NetLoop
import ProxyServer
import Reporting
import Synchronization
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
            _ = open.records.writeReports(nil, of: open.close(), by: judging.rules)
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

extension GateRun {
    /// Serves until SIGTERM or SIGINT. The first one lets loads in flight finish, a second one ends them. SIGHUP reloads
    /// the dictionary.
    ///
    /// - Throws: ``CommandFailure`` with 74 if an address cannot be announced.
    func serve(as service: Service) throws -> RunWork {
        let ended = DispatchSemaphore(value: 0)
        try signals.pass(to: receiver(service) { ended.signal() }) {
            try begin { choices.isQuiet ? [] : [startNotice] }
            service.isReady(at: open.gate.addresses, log: open.log)
            let watchdog = service.watch(side.metrics.monitor, log: open.log)
            ended.wait()
            watchdog?.stop()
        }
        return RunWork()
    }

    private var startNotice: String {
        StartNotice(
            open: open, settings: settings, page: side.page, metrics: side.metrics, remarks: remarks,
            showsCode: wantsColour(on: STDERR_FILENO)
        ).text
    }

    private func receiver(_ service: Service, stopped: @escaping @Sendable () -> Void) -> RunSignals.Receiver {
        let isDraining = Mutex(false)
        let limit = settings.timeouts.drain + LastResort.grace + (open.records.shared?.timeout ?? .zero)
        return { [self] signal in
            guard signal != SIGHUP else {
                // A stopping service must not become ready again.
                guard !isDraining.withLock({ $0 }) else { return open.gate.reload() }
                service.isReloading(log: open.log)
                open.gate.reload()
                return service.isReady(at: open.gate.addresses, log: open.log)
            }
            let isSecond = isDraining.withLock { draining in
                defer { draining = true }
                return draining
            }
            if isSecond {
                LastResort.arm(after: LastResort.grace)
                open.log.notice("stopping immediately")
                open.gate.stop()
                stopped()
            } else {
                open.log.notice("finishing loads in flight; repeat the signal to stop immediately")
                service.isStopping(within: limit, log: open.log)
                drain(stopped)
            }
        }
    }
}

/// The signals of a command that runs a gate. They go to the part that can act on them at that time: the child, the
/// gate, or the wait for a shared store. At other times they are ignored, so that reports are written completely.
final class RunSignals: Sendable {
    /// Receives the number of a signal.
    typealias Receiver = @Sendable (Int32) -> Void

    private let receiver = Mutex<Receiver?>(nil)
    private let watcher = Mutex<SignalWatcher?>(nil)
    private let numbers: [Int32]

    /// - Parameter numbers: the signals; they keep their usual effect until the first ``pass(to:during:)``.
    init(_ numbers: [Int32]) { self.numbers = numbers }

    /// Passes signals to `receiver` while `body` runs.
    func pass<Value>(to receiver: @escaping Receiver, during body: () throws -> Value) rethrows -> Value {
        self.receiver.withLock { $0 = receiver }
        defer { self.receiver.withLock { $0 = nil } }
        watcher.withLock { watcher in
            // Kept after the return: a signal can be watched only once per process.
            watcher = watcher ?? SignalWatcher(numbers) { [weak self] number in self?.receive(number) }
        }
        return try body()
    }

    private func receive(_ number: Int32) { receiver.withLock { $0 }?(number) }
}

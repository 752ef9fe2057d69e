import ArgumentParser
import ControlPlane
import Diagnosis
import Foundation
import Logging
import NetLoop
import ProxyServer
import Reporting
import Setup
import Synchronization
import Text

/// The gate of `proxy` with its page, metrics and signals. It serves until a signal ends it.
struct ServedGate {
    private let choices: GateChoices
    private let settings: GateSettings
    private let service: Service
    private let beside: SideListeners
    private let baseline: BaselineOptions
    private let rules: JudgementRules
    private let open: OpenGate

    /// Opens everything; prints nothing yet.
    ///
    /// - Throws: ``CommandFailure``; everything is stopped then.
    init(_ choices: GateChoices, _ baseline: BaselineOptions, by rules: JudgementRules) throws {
        self.choices = choices
        try ReportFiles.check(choices.reports)
        var settings = try choices.gateSettings()
        service = try Service()
        settings.listeners = try service.listeners(settings.listeners)
        settings.handed = try service.sockets(
            for: settings.listeners, and: [LivePage.address(choices, usual: WebAddress()), choices.metrics])
        beside = try SideListeners(choices, usualPage: WebAddress(), telling: &settings)
        self.settings = settings
        if let path = choices.portFile { WholeFile.forget(path) }
        (self.baseline, self.rules) = (baseline, rules)
        do {
            open = try OpenGate(
                choices, settings: settings,
                sinks: choices.consoleSinks(usually: .short) + beside.sinks,
                devices: beside.devices)
        } catch {
            beside.stop()
            throw error
        }
    }

    /// Serves, and prints the results at the end. Call once.
    ///
    /// - Parameter isJudged: true if the exit code depends on the loads.
    /// - Throws: `ExitCode` if it is not 0, and ``CommandFailure``.
    func serve(isJudged: Bool) throws {
        defer { beside.stop() }
        let ended = GateEnd()
        let signals = watchSignals(ended)
        if !choices.isQuiet { tellStart() }
        try begin()
        let watchdog = service.watch(beside.metrics.monitor, log: open.log)
        ended.wait()
        watchdog?.stop()
        beside.stopTelling()
        let summary = open.close()
        let judge = try self.judge(summary)
        if !choices.isQuiet || !summary.isComplete { try tellEnd(summary, judge) }
        let isReported = open.writeReports(of: summary, by: rules)
        StandardError.write(open.ship())
        signals.stop()
        guard isReported, summary.isComplete else { throw ExitCode(74) }
        guard isJudged else { return }
        try judge.settleBaseline()
        if let nothing = judge.judgement.nothingJudged { StandardError.printError(nothing.sentence) }
        let status = judge.verdict(isComplete: true).status
        guard status != 0 else { return }
        if choices.isQuiet { judge.printBriefSummary(summary) }
        throw ExitCode(status)
    }

    private func judge(_ summary: ArchiveSummary) throws -> RunJudge {
        do {
            return try RunJudge(open.loads(in: summary), in: open.reader(), baseline, by: rules, of: settings)
        } catch let error as StoreError {
            throw CommandFailure(error)
        }
    }

    /// Announces that the gate is serving. If an announcement fails, the gate stops.
    private func begin() throws {
        do {
            try beside.serve(open, by: rules)
            if let path = choices.portFile { try WholeFile.write(open.ports(and: beside.metrics), to: path) }
            service.isReady(at: open.gate.addresses, log: open.log)
        } catch {
            open.gate.stop()
            _ = open.writeReports(of: open.close(), by: rules)
            throw error
        }
    }

    private func tellStart() {
        let remarks =
            settings.witnessRemarks + choices.remarks(on: open.declaration) + open.problemRemarks
            + (open.shared?.remarks ?? [])
        let notice = StartNotice(
            open: open, settings: settings, page: beside.page, metrics: beside.metrics, remarks: remarks,
            showsCode: wantsColour(on: STDERR_FILENO))
        StandardError.write(notice.text)
    }

    private func tellEnd(_ summary: ArchiveSummary, _ judge: RunJudge) throws {
        let notes = try open.reader().clientNotes(of: open.loads(in: summary)).sentences
        StandardError.write(
            summary.notice(storePath: open.storeName, failedOnDevice: judge.judgement.failedOnDevice)
                + notes.map { "atsgate: note: \($0.printable)\n" }.joined() + judge.agreementNotice)
    }

    /// SIGHUP reloads the policy. The first SIGTERM or SIGINT drains; the second stops immediately, and also ends the
    /// wait for a shared store.
    private func watchSignals(_ ended: GateEnd) -> SignalWatcher {
        let isDraining = Mutex(false)
        let (open, service, monitor, drain) = (open, service, beside.metrics.monitor, settings.timeouts.drain)
        return SignalWatcher([SIGHUP, SIGTERM, SIGINT]) { signal in
            // Reports are written, then loads shipped: only shipping can be cut short.
            guard !ended.isOver else { return signal == SIGHUP ? () : open.stopShipping() }
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
                ended.signal()
            } else {
                LastResort.arm(after: drain + LastResort.grace)
                open.log.notice("finishing loads in flight; repeat the signal to stop immediately")
                service.isStopping(within: drain + LastResort.grace + (open.shared?.timeout ?? .zero), log: open.log)
                monitor.drain()
                open.gate.drain { ended.signal() }
            }
        }
    }
}

import ArgumentParser
import ControlPlane
import Diagnosis
import Dispatch
import Foundation
import Logging
import NetLoop
import Onboarding
import ProxyServer
import Reporting
import Setup
import Synchronization

/// Runs the gate until it is told to stop.
struct ProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Runs the gate: the proxy to point simulators, devices and commands at.",
        usage: "atsgate proxy [<options>]",
        discussion: """
            SIGHUP, or a change of the policy file, makes it read policy and roots again; a broken file keeps the old \
            ones. SIGTERM and SIGINT let loads in flight finish (--drain), then reports are written; a second one \
            stops at once.

            Exit code: 0, or 74 when records could not be kept, or a report not be written. With --fail-on or a \
            baseline it is that of run: 4 when, with --mode witness, a device and the gate differed, 1 when loads were \
            blocked (with --baseline: new ones), 3 when none was judged.
            """)

    @OptionGroup var gate: DeclaredOptions<GateCatalogue>

    @OptionGroup var baseline: BaselineOptions

    @Option(
        help: ArgumentHelp(
            """
            Which loads cause exit code 1: blocked, those a device refuses; failed, those that broke, too; or none. \
            (default: none; of reports and with a baseline: blocked)
            """, valueName: "what"))
    var failOn: FailOn?

    @Flag(help: "Print a configuration file that shows every option, and end.")
    var sampleConfig = false

    func run() throws {
        guard !sampleConfig else { return try Output.withOutput(to: nil) { try $0.write(Array(SampleFile.text.utf8)) } }
        Setup.recoverAtStart()
        let choices = try gate.choices()
        let rules = try baseline.rules(failOn: failOn ?? .blocked)
        let tally = HostOutcomeSink()
        let clients = ClientSink()
        try ReportFiles.check(choices.reports)
        var settings = try choices.gateSettings()
        let service = try Service()
        settings.listeners = try service.listeners(settings.listeners)
        settings.handed = try service.sockets(
            for: settings.listeners, and: [LivePage.address(choices, usual: WebAddress()), choices.metrics])
        let names = try NamesListener(choices, telling: &settings)
        defer { names.stop() }
        if let path = choices.portFile { WholeFile.forget(path) }
        let page = try LivePage(choices, usual: WebAddress(), handed: settings.handed)
        defer { page?.stop() }
        let metrics = try MetricsListener(choices, handed: settings.handed)
        defer { metrics.stop() }
        let witness = settings.witnessSink
        let open = try OpenGate(
            choices, settings: settings,
            sinks: choices.consoleSinks(usually: .short) + (page?.sinks ?? []) + [tally, clients]
                + metrics.sinks(with: page)
                + (witness.map { [$0] } ?? []),
            devices: page?.devices ?? DeviceMemory())
        let ended = GateEnd()
        let signals = watchSignals(
            open, metrics.monitor, of: service, drain: settings.timeouts.drain, ended: ended)
        if !choices.isQuiet { tell(open, settings, choices, page, metrics) }
        do {
            try page?.serve(open, metrics.monitor, by: rules)
            metrics.begin(open)
            if let path = choices.portFile { try WholeFile.write(open.ports(and: metrics), to: path) }
            service.isReady(at: open.gate.addresses, log: open.log)
        } catch {
            open.gate.stop()
            _ = open.writeReports(of: open.close(), by: rules)
            throw error
        }
        let watchdog = service.watch(metrics.monitor, log: open.log)
        ended.wait()
        watchdog?.stop()
        page?.stop()
        metrics.stop()
        let summary = open.close()
        let judgement = RunJudgement(tally.outcomes, by: rules)
        if !choices.isQuiet || !summary.isComplete {
            StandardError.write(
                summary.notice(storePath: open.storeName, failedOnDevice: judgement.failedOnDevice)
                    + clients.notice + open.candidateNotice + (witness?.notice ?? ""))
        }
        let isReported = open.writeReports(of: summary, by: rules)
        StandardError.write(open.ship())
        signals.stop()
        guard isReported, summary.isComplete else { throw ExitCode(74) }
        guard isJudged else { return }
        try baseline.settle(tally.outcomes, by: rules)
        if let nothing = judgement.nothingJudged { StandardError.complain(nothing.sentence) }
        let end = RunVerdict(
            child: 0, isComplete: true, judgement: judgement, differs: witness?.differs(by: rules) ?? false)
        if choices.isQuiet, end.status != 0 { RunCommand.tellBriefly(summary, judgement, witness) }
        guard end.status == 0 else { throw ExitCode(end.status) }
    }

    /// Says that the gate is there, and what is to be known of it.
    private func tell(
        _ open: OpenGate, _ settings: GateSettings, _ choices: GateChoices, _ page: LivePage?,
        _ metrics: MetricsListener
    ) {
        let remarks =
            settings.witnessRemarks + choices.remarks(on: open.declaration) + open.problemRemarks
            + (open.shared?.remarks ?? [])
        let notice = StartNotice(
            open: open, settings: settings, page: page, metrics: metrics, remarks: remarks,
            showsCode: wantsColour(on: STDERR_FILENO))
        StandardError.write(notice.text)
    }

    /// Its end says how loads fared.
    private var isJudged: Bool { failOn != nil || baseline.isAsked }

    /// SIGHUP reloads the policy; the first SIGTERM or SIGINT drains, the second one stops at once, also a shared store that
    /// is waited for.
    private func watchSignals(
        _ open: OpenGate, _ monitor: GateMonitor, of service: Service, drain: Duration, ended: GateEnd
    ) -> SignalWatcher {
        let isDraining = Mutex(false)
        return SignalWatcher([SIGHUP, SIGTERM, SIGINT]) { signal in
            // Reports are written, and loads shipped: only the last can be cut short.
            guard !ended.isOver else { return signal == SIGHUP ? () : open.stopShipping() }
            guard signal != SIGHUP else {
                // A service that is stopping does not become ready again.
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
                open.log.notice("stopping at once")
                open.gate.stop()
                ended.signal()
            } else {
                LastResort.arm(after: drain + LastResort.grace)
                open.log.notice("finishing loads in flight; once more to stop at once")
                service.isStopping(within: drain + LastResort.grace + (open.shared?.patience ?? .zero), log: open.log)
                monitor.drain()
                open.gate.drain { ended.signal() }
            }
        }
    }
}

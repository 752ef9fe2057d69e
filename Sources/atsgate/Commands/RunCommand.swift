import ArgumentParser
import ControlPlane
import Diagnosis
import Foundation
import NetLoop
import ProxyCore
import ProxyServer
import Reporting
import Setup
import TLSEngine

/// Runs a command with its own gate and reports how its loads ended.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a command with its own gate, and prints the verdict on its loads.",
        usage: "atsgate run [<options>] -- <command> [<argument> ...]",
        discussion: """
            The command finds the gate and its CA through environment variables: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, \
            SSL_CERT_FILE, CURL_CA_BUNDLE, REQUESTS_CA_BUNDLE, NODE_EXTRA_CA_CERTS, GIT_SSL_CAINFO and similar ones; \
            NO_PROXY is removed. URLSession on Apple platforms, Java, Node before 22.21 (or 24), and Go on macOS \
            ignore some of them. With --capture, on Linux, programs that ignore all of them also go through the gate.

            Exit code: the command's own when it is not 0 (128 plus the number of a signal, 126 or 127 when it cannot \
            be run); otherwise 74 when records or a report could not be written; 4 when a device and the gate differed, \
            with --mode witness or --fail-on-difference; 1 when a device could not make a load because of ATS, trust or TLS (with \
            --baseline: a new one); 3 when no load was judged; 0.
            """)

    @OptionGroup var gate: DeclaredOptions<GateCatalogue>

    @OptionGroup var capture: CaptureOptions

    @OptionGroup var baseline: BaselineOptions

    @Option(
        help: ArgumentHelp(
            """
            Loads that cause exit code 1: refused, those that a device cannot make because of ATS, trust or TLS; blocked, \
            those of ATS and trust only; any, also those that broke for other reasons; or none.
            """, valueName: "what"))
    var failOn: FailOn = .refused

    @Flag(
        help: ArgumentHelp(
            """
            Exit with 4 when a device's ClientHello shows another state of ATS than the dictionary requires (see atsgate \
            explain hellos).
            """))
    var failOnDifference = false

    @Flag(help: "Same as --fail-on none.")
    var exitZero = false

    @Option(
        help: ArgumentHelp(
            "Write annotations, the step's summary and outputs for GitHub Actions.", valueName: "where"))
    var annotate: Annotating = .auto

    @Flag(help: "Exit with 0 instead of 3 when no load was judged.")
    var allowNoLoads = false

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        guard command.isEmpty else { return }
        throw ValidationError("Name the command to run after --: atsgate run -- curl https://example.com/")
    }

    func run() throws {
        Setup.recoverAtStart()
        let choices = try gate.choices()
        let rules = try baseline.rules(failOn: exitZero ? .none : failOn, needsLoads: !allowNoLoads)
        try ReportFiles.check(choices.reports)
        var settings = try choices.gateSettings(
            listener: ListenAddress(host: "127.0.0.1", port: 0), drain: GateChoices.runDrain)
        if let name = settings.listeners.lazy.compactMap(\.socketName).first {
            throw CommandFailure.usage("--listen fd:\(name): sockets of a service manager work only with atsgate proxy")
        }
        settings.rules.clients.isCommand = true
        let captured = try capture.open(leadingTo: &settings, isListening: !choices.listeners.isEmpty)
        let beside = try SideListeners(choices, usualPage: nil, telling: &settings, beside: captured?.names)
        defer { beside.stop() }
        let job = GitHubJob(annotate)
        let open = try OpenGate(
            choices, settings: settings, sinks: liveSinks(choices) + beside.sinks, devices: beside.devices)
        try serve(beside, open, rules)
        let signals = RunSignals()
        let outcome = Result { try runChild(behind: open, beside.metrics, choices, in: captured, signals) }
        LastResort.arm(after: settings.timeouts.drain + LastResort.grace)
        drain(open, beside.metrics)
        let summary = open.close()
        let judge = try judge(open, summary, by: rules, of: settings)
        let judgement = judge.judgement
        if !choices.isQuiet { try tell(summary, judge, open) }
        let isReported = open.writeReports(of: summary, by: rules) { reader in
            try job?.tell(
                reader.grouped(open.loads(in: summary), open.context(rules)), judgement, summary.verdicts) ?? true
        }
        StandardError.write(signals.during(open.ship, end: open.stopShipping))
        try judge.settleBaseline()
        let status = judge.verdict(child: try outcome.get(), isComplete: summary.isComplete && isReported).status
        if let nothing = judgement.nothingJudged {
            StandardError.printError(nothing.advice(isCaptured: captured != nil))
        }
        if choices.isQuiet, status != 0 { judge.printBriefSummary(summary) }
        throw ExitCode(status)
    }

    /// Starts the page and the metrics, and prints their addresses.
    private func serve(_ beside: SideListeners, _ open: OpenGate, _ rules: JudgementRules) throws {
        do {
            try beside.serve(open, by: rules)
        } catch {
            open.gate.stop()
            _ = open.close()
            throw error
        }
        let page = beside.page.map { "page \($0.url)" }
        let metrics = beside.metrics.url.map { "metrics \($0)" }
        [page, beside.page?.remark, metrics, beside.metrics.exposure].compactMap(\.self).forEach(
            StandardError.writeLine)
    }

    /// Drains the gate. Returns when the last load has ended.
    private func drain(_ open: OpenGate, _ metrics: MetricsListener) {
        let ended = DispatchSemaphore(value: 0)
        metrics.monitor.drain()
        open.gate.drain { ended.signal() }
        ended.wait()
    }

    private func liveSinks(_ choices: GateChoices) -> [any RecordSink] {
        // The command's own output comes first; the report at the end covers all loads.
        choices.consoleSinks(usually: choices.isVerbose ? .short : .none)
    }

    /// - Returns: The child's status as a shell reports it.
    private func runChild(
        behind open: OpenGate, _ metrics: MetricsListener, _ choices: GateChoices, in captured: Captured?,
        _ signals: RunSignals
    ) throws -> Int32 {
        if !choices.isQuiet {
            (choices.settings.witnessRemarks + choices.remarks(on: open.declaration) + open.problemRemarks
                + (captured?.remarks ?? []) + (open.shared?.remarks ?? [])).forEach(StandardError.writeLine)
        }
        let bundle = try TrustBundle(
            roots: choices.settings.roots, extra: choices.settings.extraCAs,
            authorityPEM: open.gate.authority.certificatePEM)
        defer { bundle.remove() }
        if let path = choices.portFile {
            try WholeFile.write(open.ports(and: metrics), to: path)
        }
        let environment = ChildEnvironment(
            proxyURL: open.proxyURL, authorityPath: open.gate.authority.certificatePath ?? bundle.path,
            bundlePath: bundle.path, recording: open.recording, keepsRoots: choices.settings.isWitness,
            hasOwnLoopback: captured != nil)
        let variables = environment.variables(over: ProcessInfo.processInfo.environment)
        guard let captured else { return try wait(signals) { try ChildProcess(command, environment: variables) } }
        return try captured.whileAnswering(isQuiet: choices.isQuiet) {
            try wait(signals) { try captured.start(command, environment: variables) }
        }
    }

    /// - Returns: The child's status as a shell reports it.
    private func wait(_ signals: RunSignals, for start: () throws -> ChildProcess) throws -> Int32 {
        do {
            return signals.wait(for: try start())
        } catch let error as ChildProcess.SpawnFailure {
            StandardError.printError(error.sentence)
            return error.exitStatus
        }
    }

    private func judge(
        _ open: OpenGate, _ summary: ArchiveSummary, by rules: JudgementRules, of settings: GateSettings
    ) throws -> RunJudge {
        do {
            return try RunJudge(
                open.loads(in: summary), in: open.reader(), baseline, by: rules, of: settings,
                failsOnDifference: failOnDifference)
        } catch let error as StoreError {
            throw CommandFailure(error)
        }
    }

    private func tell(_ summary: ArchiveSummary, _ judge: RunJudge, _ open: OpenGate) throws {
        if summary.filed > 0 {
            var context = ReportContext(isColoured: wantsColour(on: STDERR_FILENO))
            context.rules = judge.rules
            StandardError.write("\n")
            try open.reader().report(as: .text, of: open.loads(in: summary), context) {
                StandardError.write(String(decoding: $0, as: UTF8.self))
            }
        }
        StandardError.write(
            summary.notice(storePath: open.storeName, failedOnDevice: judge.judgement.failedOnDevice)
                + judge.agreementNotice)
    }
}

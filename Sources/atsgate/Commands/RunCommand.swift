import ATSPolicy
import ArgumentParser
import Diagnosis
import Foundation
import ProxyCore
import ProxyServer
import Setup
import TLSEngine

/// Runs a command with its own gate and reports how its loads ended.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a command with its own gate, and judges it.",
        usage: "atsgate run [<options>] -- <command> [<argument> ...]",
        discussion: """
            The command finds the gate and its CA through environment variables. Programs that ignore them need \
            --capture (Linux), or setup.

            The variables: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE, CURL_CA_BUNDLE, REQUESTS_CA_BUNDLE, \
            NODE_EXTRA_CA_CERTS, GIT_SSL_CAINFO and similar ones; NO_PROXY is removed. URLSession on Apple platforms, \
            Java, Node before 22.21 (or 24), and Go on macOS ignore some of them.

            Exit code: the command's own when it is not 0 (128 plus the number of a signal, 126 or 127 when it cannot \
            be run); otherwise 74 when records or a report could not be written; 4 when a device and the gate differed, \
            with --mode witness or --fail-on-difference; 1 when a device could not make a load because of ATS, trust or TLS (with \
            --baseline: a new one); 3 when no load was judged; 0.
            """)

    @OptionGroup(title: .inFullHelp("Dictionary and release")) var policy: PolicyOption
    @OptionGroup(title: .inFullHelp("Dictionary and release")) var system: SystemOption
    @OptionGroup(title: .inFullHelp("Dictionary and release")) var loader: LoaderOption
    @OptionGroup(title: .inFullHelp("Readings of the rules")) var readings: ReadingOptions
    @OptionGroup(title: .inFullHelp("Treatment of loads")) var loads: LoadOptions
    @OptionGroup(title: .inFullHelp("The app's own code")) var appTrust: AppTrustOptions
    @OptionGroup(title: .inFullHelp("Listening")) var listening: ListeningOptions
    @OptionGroup(title: .inFullHelp("The live page")) var page: PageOptions
    @OptionGroup(title: .inFullHelp("Monitoring")) var monitoring: MonitoringOptions
    @OptionGroup(title: .inFullHelp("Servers")) var servers: ServerOptions
    @OptionGroup(title: .inFullHelp("Servers")) var relay: RelayOptions
    @OptionGroup(title: .inFullHelp("Files"), visibility: .seldom) var authority: AuthorityOption
    @OptionGroup(title: .inFullHelp("Files")) var store: StoreOption
    @OptionGroup(title: .inFullHelp("Files")) var records: RecordOptions
    @OptionGroup(title: .inFullHelp("Files")) var configuration: ConfigurationOption
    @OptionGroup(title: .inFullHelp("Output")) var output: OutputOptions

    @OptionGroup var capture: CaptureOptions

    @OptionGroup var baseline: BaselineOptions

    @Option(
        help: ArgumentHelp("Loads that cause exit code 1.", discussion: FailOn.details, valueName: "what"))
    var failOn: FailOn = .refused

    @Flag(
        help: ArgumentHelp(
            """
            Exit with 4 when a device's ClientHello shows another state of ATS than the dictionary requires (see atsgate \
            explain hellos).
            """, visibility: .seldom))
    var failOnDifference = false

    @Flag(help: ArgumentHelp("Same as --fail-on none.", visibility: .seldom))
    var exitZero = false

    @Option(
        help: ArgumentHelp(
            "Write annotations, the step's summary and outputs for GitHub Actions.", valueName: "where",
            visibility: .seldom))
    var annotate: Annotating = .auto

    @Flag(help: ArgumentHelp("Exit with 0 instead of 3 when no load was judged.", visibility: .seldom))
    var allowNoLoads = false

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        guard command.isEmpty else { return }
        throw ValidationError("Name the command to run after --: atsgate run -- curl https://example.com/")
    }

    func run() throws {
        Setup.recoverAtStart()
        let choices = GateChoices(
            policy, system, loader, readings, loads, appTrust, listening, page, monitoring, servers, relay, authority,
            store, records, output)
        let rules = try baseline.rules(failOn: exitZero ? .none : failOn, needsLoads: !allowNoLoads)
        var settings = try choices.gateSettings(
            listener: ListenAddress(host: "127.0.0.1", port: 0), drain: GateChoices.runDrain,
            outside: capture.capture ? .judge : .pass)
        if let name = settings.listeners.lazy.compactMap(\.socketName).first {
            throw CommandFailure.usage("--listen fd:\(name): sockets of a service manager work only with atsgate proxy")
        }
        settings.rules.clients.isCommand = true
        let captured = try capture.open(leadingTo: &settings, isListening: !choices.listeners.isEmpty)
        let run = try GateRun(
            choices, settings, as: .command(isCaptured: captured != nil),
            judging: RunJudging(
                rules: rules, baseline: baseline, isBinding: true, failsOnDifference: failOnDifference,
                job: GitHubJob(annotate)),
            names: captured?.names)
        try run.live {
            try run.begin { run.commandNotice + (choices.isQuiet ? [] : run.remarks + (captured?.remarks ?? [])) }
            let work = try runChild(of: run, in: captured)
            let ended = DispatchSemaphore(value: 0)
            run.drain { ended.signal() }
            ended.wait()
            return work
        }
    }

    private func runChild(of run: GateRun, in captured: Captured?) throws -> RunWork {
        let (settings, authority) = (run.choices.settings, run.open.gate.authority)
        let bundle = try TrustBundle(
            roots: settings.roots, extra: settings.extraCAs, authorityPEM: authority.certificatePEM)
        defer { bundle.remove() }
        let environment = ChildEnvironment(
            proxyURL: run.open.proxyURL, authorityPath: authority.certificatePath ?? bundle.path,
            bundlePath: bundle.path, recording: run.open.recording, keepsRoots: settings.isWitness,
            hasOwnLoopback: captured != nil)
        let variables = environment.variables(over: ProcessInfo.processInfo.environment)
        guard let captured else {
            return try wait(run.signals) { try ChildProcess(command, environment: variables) }
        }
        return try captured.whileAnswering(isQuiet: run.choices.isQuiet) {
            try wait(run.signals) { try captured.start(command, environment: variables) }
        }
    }

    private func wait(_ signals: RunSignals, for start: () throws -> ChildProcess) throws -> RunWork {
        var work = RunWork(command: command.first)
        do {
            let child = try start()
            work.status = signals.pass(to: { child.forward($0) }, during: child.wait)
        } catch let error as ChildProcess.SpawnFailure {
            StandardError.printError(error.sentence)
            (work.status, work.isStarted) = (error.exitStatus, false)
        }
        return work
    }
}

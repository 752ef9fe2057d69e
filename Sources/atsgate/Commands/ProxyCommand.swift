import ArgumentParser
import ControlPlane
import Diagnosis
import ProxyServer
import Setup

/// Runs the gate until SIGINT or SIGTERM.
struct ProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Runs the gate for simulators, devices, commands.",
        usage: "atsgate proxy [<options>]",
        discussion: """
            Runs until SIGINT or SIGTERM. Reloads the policy when its file changes.

            The policy and roots are also reloaded on SIGHUP; if a file is invalid, the old ones stay. SIGTERM and \
            SIGINT let running loads finish (--drain), then reports are written; a second signal stops immediately.

            Exit code: 0, or 74 when records or a report could not be written. With --fail-on or a baseline, as for \
            run: 4 when, with --mode witness, a device and the gate differed, 1 when loads were refused (with \
            --baseline: new ones), 3 when none was judged.
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

    @OptionGroup var baseline: BaselineOptions

    @Option(
        help: ArgumentHelp(
            "Loads that cause exit code 1. (default: none; with a baseline: refused)", discussion: FailOn.details,
            valueName: "what"))
    var failOn: FailOn?

    @Flag(help: "Print a configuration file with every option.")
    var sampleConfig = false

    func run() throws {
        guard !sampleConfig else { return try Output.withOutput(to: nil) { try $0.write(Array(SampleFile.text.utf8)) } }
        Setup.recoverAtStart()
        let choices = GateChoices(
            policy, system, loader, readings, loads, appTrust, listening, page, monitoring, servers, relay, authority,
            store, records, output)
        let rules = try baseline.rules(failOn: failOn ?? .refused)
        let service = try Service()
        var settings = try choices.gateSettings()
        settings.listeners = try service.listeners(settings.listeners)
        settings.handed = try service.sockets(
            for: settings.listeners, and: [LivePage.address(choices, usual: WebAddress()), choices.metrics])
        let run = try GateRun(
            choices, settings, as: .served,
            judging: RunJudging(rules: rules, baseline: baseline, isBinding: failOn != nil || baseline.isGiven))
        try run.live { try run.serve(as: service) }
    }
}

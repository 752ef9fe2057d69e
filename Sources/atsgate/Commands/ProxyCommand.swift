import ArgumentParser
import Diagnosis
import Setup

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
        try ServedGate(choices, baseline, by: rules).serve(isJudged: failOn != nil || baseline.isAsked)
    }
}

import ATSPolicy
import ArgumentParser
import Diagnosis
import ProxyServer
import Records
import Reporting
import Text

/// Judges recorded loads again, under another dictionary or release.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Judges a recording by another dictionary or OS.",
        discussion: """
            Each load is judged again from its recorded handshake. A load is undecidable if the client would have \
            offered something else and the server's answer to that is unknown; the reason, and the command that probes \
            the server, are printed below it. --policy or a release is required: without --policy the recorded \
            dictionary is used, without --os each load's own release.

            Exit code: 0; 1 when a load is newly blocked; 3 when nothing was recorded.
            """)

    @OptionGroup(title: .inFullHelp("Dictionary and release")) var policy: RecordedPolicyOption
    @OptionGroup(title: .inFullHelp("Dictionary and release")) var appTrust: AppTrustOptions
    @OptionGroup(title: .inFullHelp("Dictionary and release"), visibility: .seldom) var store: StoreOption
    @OptionGroup(title: .inFullHelp("Readings of the rules")) var readings: ReadingOptions
    @OptionGroup var choice: RecordingChoice

    @Option(
        name: .customLong("os"), parsing: .upToNextOption,
        help: ArgumentHelp("Releases to judge by, one or more. (default: each load's own)", valueName: "profile"),
        completion: ShellCompletion.systems.completion)
    var systems: [String] = []

    @Option(help: ArgumentHelp("Only loads that arrived this way.", valueName: "way"))
    var entrance: [LoadEntrance] = []

    @Option(
        help: ArgumentHelp(
            "In a shared store: only loads of this gate, named by its machine or its label.", valueName: "glob"))
    var gate: [String] = []

    @OptionGroup var apps: AppSelection

    @Flag(name: .customLong("all-os"), help: "Judge by every release. --os is ignored.")
    var allSystems = false

    @Flag(help: "Print one JSON object per release, one per line.")
    var json = false

    @OptionGroup var results: ResultOptions

    func run() throws {
        try results.begin()
        var choices = GateChoices(policy, appTrust, store, readings)
        guard choices.settings.policyPath != nil || allSystems || !systems.isEmpty else {
            throw CommandFailure.usage("name another dictionary with --policy, or releases with --os or --all-os")
        }
        let reader = try choices.openedStore()
        var filter = RecordFilter(recording: try choice.name(in: reader))
        let recording = filter.recordings.first
        try choices.usePolicy(of: recording, in: reader)
        let declaration = try choices.declaration(maskedLike: recording, in: reader)
        var replays = SystemReplays(
            declaration, switches: choices.settings.switches, appTrust: try choices.appTrust(),
            systems: try allSystems ? OSProfile.all : systems.map(OSProfile.init(argument:)))
        declaration.remarks.forEach(StandardError.writeLine)
        filter.entrances = Set(entrance)
        filter.gates = gate.map(Glob.init)
        filter.apps = apps.app.map(Glob.init)
        try reader.forEachJudgeable(filter) { replays.add($0) }
        let words = replays.all.map {
            ReplayWords($0, recording: recording, policy: choices.settings.policyPath)
        }
        let plain = json ? words.map { $0.json + "\n" }.joined() : words.map(\.text).joined(separator: "\n")
        let text = json || results.output != nil ? plain : Colours.replay.painted(plain)
        try Output.withOutput(to: results.output, holdsRecords: true) { try $0.write(Array(text.utf8)) }
        guard replays.all.allSatisfy({ $0.loads(.newlyBlocked) == 0 }) else { throw ExitCode(1) }
    }
}

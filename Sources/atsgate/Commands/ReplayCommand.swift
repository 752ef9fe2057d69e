import ATSPolicy
import ArgumentParser
import Diagnosis
import ProxyServer
import Records
import Reporting

/// Tells what would become of recorded loads under another dictionary or system.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Judges a recording again, under another dictionary or on another system. Uses no network.",
        discussion: """
            Each load is judged again under the new dictionary, using its recorded handshake. Where the origin would \
            have been offered something else, and its answer to that is not known, the load is undecidable: the \
            reason, and the command that asks the origin, are printed below it. Without --policy the recorded \
            dictionary is used, without --os each load's own system; one of the two is required.

            Exit code: 0; 1 when a load is newly blocked; 3 when nothing was recorded.
            """)

    @OptionGroup var law: DeclaredOptions<ReplayCatalogue>
    @OptionGroup var choice: RecordingChoice

    @Option(
        name: .customLong("os"), parsing: .upToNextOption,
        help: ArgumentHelp("Systems to judge by, one or more. (default: each load's own)", valueName: "profile"),
        completion: ShellCompletion.systems.completion)
    var systems: [String] = []

    @Option(help: ArgumentHelp("Loads of the recording that arrived this way.", valueName: "way"))
    var entrance: [LoadEntrance] = []

    @Option(
        help: ArgumentHelp(
            "In a shared store: loads of this gate, named by its machine or its label.", valueName: "glob"))
    var gate: [String] = []

    @Flag(help: "One JSON object per system and line.")
    var json = false

    func run() throws {
        var choices = try law.choices()
        guard choices.settings.policyPath != nil || !systems.isEmpty else {
            throw CommandFailure.usage("name another dictionary by --policy, or other systems by --os")
        }
        try choices.takeRecordedPolicy(choice)
        let declaration = try choices.recordedDeclaration(choice)
        var replays = SystemReplays(
            declaration, switches: choices.settings.switches, appTrust: try choices.appTrust(),
            systems: try systems.map(OSProfile.init(argument:)))
        declaration.remarks.forEach(StandardError.say)
        let recording = try choices.readRecording(choice, entrances: Set(entrance), gates: gate) { replays.add($0) }
        let words = replays.all.map {
            ReplayWords($0, recording: recording, policy: choices.settings.policyPath)
        }
        let text =
            json
            ? words.map { $0.json + "\n" }.joined() : Colours.replay.painted(words.map(\.text).joined(separator: "\n"))
        try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
        guard replays.all.allSatisfy({ $0.loads(.newlyBlocked) == 0 }) else { throw ExitCode(1) }
    }
}

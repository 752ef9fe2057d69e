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
            Every load is held against the new law with what was seen of its origin when it was recorded. Where the \
            origin would have been offered something else, and what it makes of that is not known, the load is \
            undecidable: why, and the command that asks the origin, stand below it. Without --policy the dictionary \
            counts that was recorded, without --os each load's own system; one of the two has to be named.

            Exit code: 0; 1 when a load is newly blocked; 3 when nothing was recorded.
            """)

    @OptionGroup var law: DeclaredOptions<ReplayCatalogue>
    @OptionGroup var choice: RecordingChoice

    @Option(
        name: .customLong("os"), parsing: .upToNextOption,
        help: ArgumentHelp("Systems to judge by, one or more. (default: each load's own)", valueName: "profile"),
        completion: Suggestion.systems.completion)
    var systems: [String] = []

    @Flag(help: "One JSON object per system and line.")
    var json = false

    func run() throws {
        var choices = try law.choices()
        guard choices.settings.policyPath != nil || !systems.isEmpty else {
            throw CommandFailure.usage("name another dictionary by --policy, or other systems by --os")
        }
        try choices.takeRecordedPolicy(choice)
        var bench = ReplayBench(
            declaration: try choices.recordedDeclaration(choice), switches: choices.settings.switches,
            appTrust: try choices.appTrust(), systems: try systems.map(OSProfile.init(argument:)))
        bench.declaration.remarks.forEach(StandardError.say)
        let recording = try choices.readRecording(choice) { try bench.add($0) }
        let words = bench.replays.map {
            ReplayWords($0, recording: recording, policy: choices.settings.policyPath)
        }
        let text =
            json
            ? words.map { $0.json + "\n" }.joined() : Colours.replay.painted(words.map(\.text).joined(separator: "\n"))
        try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
        guard bench.replays.allSatisfy({ $0.loads(.newlyBlocked) == 0 }) else { throw ExitCode(1) }
    }
}

/// A replay for each system, over the same declaration.
private struct ReplayBench {
    let declaration: Declaration
    let switches: JudgeSwitches
    let appTrust: AppTrust
    /// None for each load's own.
    let systems: [OSProfile]
    /// In the order of `systems`, or in which systems were met.
    private(set) var replays: [RecordingReplay] = []

    init(declaration: Declaration, switches: JudgeSwitches, appTrust: AppTrust, systems: [OSProfile]) {
        self.declaration = declaration
        self.switches = switches
        self.appTrust = appTrust
        self.systems = systems
        for system in systems { begin(system) }
    }

    mutating func add(_ group: EvidenceGroup) throws {
        if systems.isEmpty, !replays.contains(where: { $0.profile == group.profile }) { begin(group.profile) }
        for index in replays.indices where !systems.isEmpty || replays[index].profile == group.profile {
            replays[index].add(
                group.evidence, url: group.url, handshake: group.handshakeID, loads: group.loads)
        }
    }

    private mutating func begin(_ system: OSProfile) {
        let judge = Judge(declaration: declaration, profile: system, switches: switches)
        replays.append(RecordingReplay(LoadReplay(judge: judge, appTrust: appTrust)))
    }
}

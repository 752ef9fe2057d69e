import ATSPolicy
import ArgumentParser
import Diagnosis
import ProxyServer
import Records
import Reporting

/// Writes the smallest dictionary for what was recorded.
struct SuggestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest",
        abstract: "Writes the smallest dictionary under which the recorded loads pass. Uses no network.",
        discussion: """
            Every entry is tested: without it, some of the loads fail. The dictionary goes to standard output; what \
            each entry is for, which entries of --policy nothing needs, and the loads that no key can help, with the \
            change on the server, to standard error. Pins and the NIAP package of --policy are kept.

            Exit code: 0; 3 when nothing was recorded.
            """)

    /// What is written.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case plist, json, diff
    }

    @OptionGroup var law: DeclaredOptions<ReplayCatalogue>
    @OptionGroup var choice: RecordingChoice

    @Option(
        name: .customLong("os"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "Systems on which the loads have to pass, one or more. (default: each load's own)", valueName: "profile"),
        completion: ShellCompletion.systems.completion)
    var systems: [String] = []

    @Option(
        help: ArgumentHelp(
            "plist, ready to paste; json, with the evidence; diff, from --policy.", valueName: "format"))
    var format: Format = .plist

    @Flag(help: "Suggest NSAllowsArbitraryLoads, too, where nothing else helps.")
    var lastResort = false

    @Option(help: ArgumentHelp("Write to a file instead of standard output.", valueName: "path"))
    var output: String?

    func run() throws {
        let choices = try law.choices()
        let old = try choices.recordedDeclaration(choice)
        let systems = try systems.map(OSProfile.init(argument:))
        var suggester = Suggester(
            old: old, switches: choices.settings.switches, appTrust: try choices.appTrust(), mayGiveUp: lastResort)
        let recording = try choices.readRecording(choice) { group in
            for system in systems.isEmpty ? [group.profile] : systems {
                var group = group
                group.profile = system
                suggester.add(group)
            }
        }
        let words = SuggestionWords(suggester.suggestion(), old: old, recording: recording)
        try Output.withOutput(to: output) { try $0.write(Array(text(words).utf8)) }
        if format != .json { StandardError.write(words.text) }
    }

    private func text(_ words: SuggestionWords) -> String {
        switch format {
        case .plist: words.plist
        case .json: words.json + "\n"
        case .diff: words.diff
        }
    }
}

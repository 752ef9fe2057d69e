import ATSPolicy
import ArgumentParser
import Diagnosis
import ProxyServer
import Records
import Reporting
import Text

/// Writes the smallest dictionary that allows the recorded loads.
struct SuggestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest",
        abstract: "Writes the smallest dictionary for a recording.",
        discussion: """
            Every entry is tested: without it, some loads fail. The dictionary goes to standard output. Standard error \
            lists the reason for each entry, unused entries of --policy, and loads that no key can fix, with the \
            change on the server. Parts of --policy that make ATS stricter are kept.

            Exit code: 0; 3 when nothing was recorded.
            """)

    /// The output format.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case plist, json, diff, markdown
    }

    @OptionGroup(title: .inFullHelp("Dictionary and release")) var policy: PolicyOption
    @OptionGroup(title: .inFullHelp("Dictionary and release")) var appTrust: AppTrustOptions
    @OptionGroup(title: .inFullHelp("Dictionary and release"), visibility: .seldom) var store: StoreOption
    @OptionGroup(title: .inFullHelp("Readings of the rules")) var readings: ReadingOptions
    @OptionGroup var choice: RecordingChoice

    @Option(
        name: .customLong("os"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "Releases that must allow the loads, one or more. (default: each load's own)", valueName: "profile"),
        completion: ShellCompletion.systems.completion)
    var systems: [String] = []

    @Option(
        help: ArgumentHelp(
            "plist, ready to paste; json, with the evidence; diff, against --policy; markdown, for a pull request.",
            valueName: "format"))
    var format: Format = .plist

    @Flag(help: .sameAsJSON)
    var json = false

    @OptionGroup var apps: AppSelection

    @Flag(help: "Also suggest NSAllowsArbitraryLoads, if nothing else helps.")
    var lastResort = false

    @Flag(name: .customLong("all-os"), help: "Every release must allow the loads. --os is ignored.")
    var allSystems = false

    @OptionGroup var results: ResultOptions

    mutating func validate() throws {
        guard json else { return }
        guard format == .plist || format == .json else {
            throw ValidationError("--json and --format \(format.rawValue) cannot be combined.")
        }
        format = .json
    }

    func run() throws {
        try results.begin()
        let choices = GateChoices(policy, appTrust, store, readings)
        let reader = try choices.openedStore()
        let recording = try choice.name(in: reader)
        let old = try choices.declaration(maskedLike: recording, in: reader)
        let systems = try allSystems ? OSProfile.all : systems.map(OSProfile.init(argument:))
        var suggester = Suggester(
            old: old, switches: choices.settings.switches, appTrust: try choices.appTrust(),
            mayAllowArbitraryLoads: lastResort)
        var filter = RecordFilter(recording: recording)
        filter.apps = apps.app.map(Glob.init)
        try reader.forEachJudgeable(filter) { group in
            guard !systems.isEmpty else { return suggester.add(group) }
            for system in systems {
                var group = group
                group.system = system
                suggester.add(group)
            }
        }
        let words = SuggestionWords(suggester.suggestion(), old: old, recording: recording)
        try Output.withOutput(to: results.output) { try $0.write(Array(text(words).utf8)) }
        if format != .json, format != .markdown { StandardError.write(words.text) }
    }

    private func text(_ words: SuggestionWords) -> String {
        switch format {
        case .plist: words.plist
        case .json: words.json + "\n"
        case .diff: words.diff
        case .markdown: words.markdown
        }
    }
}

import ATSPolicy
import ArgumentParser
import Diagnosis
import Records
import Reporting
import Text

/// Conditions that select loads. All of them must hold; of several values for one condition, one is enough.
struct LoadSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only loads of this host.", discussion: "* matches any text, ? one character.", valueName: "glob"),
        transform: WrittenHost.init(_:))
    var host: [WrittenHost] = []

    @Option(help: ArgumentHelp("Only loads with this verdict.", valueName: "verdict"))
    var verdict: [Verdict] = []

    @Option(
        help: ArgumentHelp("Only loads that this rule decided, as in 'ats.*'.", valueName: "glob"),
        completion: ShellCompletion.rules.completion)
    var rule: [String] = []

    @OptionGroup var apps: AppSelection

    @Option(help: ArgumentHelp("Only loads of the listener with this label.", valueName: "label", visibility: .seldom))
    var label: [String] = []

    @Option(
        help: ArgumentHelp(
            "In a shared store: only loads of this gate, named by its machine or its label.", valueName: "glob",
            visibility: .seldom))
    var gate: [String] = []

    @Option(help: ArgumentHelp("Only loads that arrived this way.", valueName: "way", visibility: .seldom))
    var entrance: [LoadEntrance] = []

    @Option(
        help: ArgumentHelp(
            "Only loads whose hello shows this (see atsgate explain hellos).", valueName: "reading", visibility: .seldom
        ))
    var hello: [HelloReading.Kind] = []

    @Option(
        help: ArgumentHelp(
            "Only loads from this time on: 30m, 7d, 2026-11-21.",
            discussion: "An age such as 30m, 1h or 7d, or a time such as 2026-11-21 or 2026-11-21T09:00Z.",
            valueName: "time"), transform: PointInTime.init(argument:))
    var since: PointInTime?

    @Option(
        help: ArgumentHelp(
            "Only loads before this time, written as for --since.", valueName: "time", visibility: .seldom),
        transform: PointInTime.init(argument:))
    var until: PointInTime?

    /// True if a condition is given.
    var isGiven: Bool {
        let lists = [rule, apps.app, label, gate]
        return !host.isEmpty || !lists.allSatisfy(\.isEmpty) || !verdict.isEmpty || !entrance.isEmpty || !hello.isEmpty
            || since != nil || until != nil
    }

    /// The filter for the selected loads of `recordings`.
    ///
    /// - Parameter recordings: empty for all.
    func filter(recordings: [String] = []) -> RecordFilter {
        var filter = RecordFilter()
        filter.recordings = recordings
        filter.hosts = host.flatMap(\.globs)
        filter.verdicts = Set(verdict)
        filter.gates = gate.map(Glob.init)
        filter.rules = rule.map(Glob.init)
        filter.apps = apps.app.map(Glob.init)
        filter.labels = Set(label)
        filter.entrances = Set(entrance)
        filter.hellos = Set(hello)
        filter.since = since?.milliseconds
        filter.until = until?.milliseconds
        return filter
    }
}

/// The condition on the app that sent a load.
struct AppSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only loads of this app, such as MyApp.", discussion: "By the name in its User-Agent.", valueName: "glob"))
    var app: [String] = []
}

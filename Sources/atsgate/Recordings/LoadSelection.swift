import ArgumentParser
import Diagnosis
import Records
import Reporting
import Text

/// Which loads a command is about: conditions that must all hold. Of several values of one, any will do.
struct LoadSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp("Loads of this host; * and ? stand for any text and one character.", valueName: "glob"),
        transform: WrittenHost.init(_:))
    var host: [WrittenHost] = []

    @Option(help: ArgumentHelp("Loads with this verdict.", valueName: "verdict"))
    var verdict: [Verdict] = []

    @Option(
        help: ArgumentHelp("Loads that a rule of this name decided, as in 'ats.*'.", valueName: "glob"),
        completion: ShellCompletion.rules.completion)
    var rule: [String] = []

    @Option(help: ArgumentHelp("Loads of the listener with this label.", valueName: "label"))
    var label: [String] = []

    @Option(
        help: ArgumentHelp(
            "In a shared store: loads of this gate, named by its machine or its label.", valueName: "glob"))
    var gate: [String] = []

    @Option(help: ArgumentHelp("Loads that arrived this way.", valueName: "way"))
    var entrance: [LoadEntrance] = []

    @Option(
        help: ArgumentHelp(
            "Loads that began within this time span, or at this time or later: 30m, 1h, 7d, 2026-11-21, 2026-11-21T09:00Z.",
            valueName: "time"), transform: PointInTime.init(argument:))
    var since: PointInTime?

    @Option(
        help: ArgumentHelp("Loads that began before this time, written as for --since.", valueName: "time"),
        transform: PointInTime.init(argument:))
    var until: PointInTime?

    /// Some condition is given.
    var isAsked: Bool {
        let lists = [rule, label, gate]
        return !host.isEmpty || !lists.allSatisfy(\.isEmpty) || !verdict.isEmpty || !entrance.isEmpty || since != nil
            || until != nil
    }

    /// The loads of `recordings` that are asked for.
    ///
    /// - Parameter recordings: none for all.
    func filter(recordings: [String] = []) -> RecordFilter {
        var filter = RecordFilter()
        filter.recordings = recordings
        filter.hosts = host.flatMap(\.globs)
        filter.verdicts = Set(verdict)
        filter.gates = gate.map(Glob.init)
        filter.rules = rule.map(Glob.init)
        filter.labels = Set(label)
        filter.entrances = Set(entrance)
        filter.since = since?.milliseconds
        filter.until = until?.milliseconds
        return filter
    }
}

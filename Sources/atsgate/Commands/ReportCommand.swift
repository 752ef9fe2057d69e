import ATSPolicy
import ArgumentParser
import Declarations
import Diagnosis
import Foundation
import Records
import Reporting
import Text

/// Exports recorded loads.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Reports recorded loads for people and CI systems.",
        discussion: """
            Works while a gate is running. Reports on the newest recording unless --recording or --all is given; \
            enforced loads and audited loads are never in one report.

            Exit code: 0; 1 when --fail-on, --baseline or --diff finds a failure; 3 when no load was judged, or none \
            matches the conditions.
            """)

    @OptionGroup(title: .inFullHelp("Files")) var store: StoreOption
    @OptionGroup var choice: RecordingChoice
    @OptionGroup(title: "Which loads") var selection: LoadSelection

    @Option(
        help: ArgumentHelp(
            "The format.",
            discussion: """
                html, text or markdown for people; junit, sarif, github or gitlab for CI; har for a browser's network \
                panel; csv, json (both grouped), csv-loads or jsonl (both load by load) for scripts.
                """,
            valueName: "format"))
    var format: ReportFormat = .text

    @Flag(help: .sameAsJSON)
    var json = false

    @Option(
        help: ArgumentHelp(
            """
            The dictionary that the loads were judged by, for formats that point to its lines or show the use of its \
            keys. (default: the recorded file, if it still exists)
            """, valueName: "path", visibility: .seldom))
    var policy: String?

    @Flag(
        help: ArgumentHelp(
            "Print exceptions as commands of PlistBuddy instead of XML. For text and html.", visibility: .seldom))
    var plistbuddy = false

    @Option(
        help: ArgumentHelp("Print one row for each.", discussion: "As text, markdown, csv or json.", valueName: "what"))
    var by: ReportGrouping?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Compare two recordings: new, gone, changed.",
            discussion: "By host and rule. As text, markdown, json or jsonl.", valueName: "before> <after"),
        completion: ShellCompletion.recordings.completion)
    var diff: [String] = []

    @Option(
        help: ArgumentHelp(
            "Loads that cause exit code 1. (default: none; with a baseline and for CI's formats: refused)",
            discussion: FailOn.details, valueName: "what"))
    var failOn: FailOn?

    @OptionGroup var baseline: BaselineOptions

    @Option(
        help: ArgumentHelp(
            """
            Write annotations, the step's summary and outputs for GitHub Actions. auto: in its jobs, if --fail-on or a \
            baseline makes this the step that judges.
            """, valueName: "where", visibility: .seldom))
    var annotate: Annotating = .auto

    @OptionGroup(title: "Which names are shown") var masking: MaskingOptions

    @OptionGroup var results: ResultOptions

    mutating func validate() throws {
        if json {
            guard format == .text || format == .json else {
                throw ValidationError("--json and --format \(format.rawValue) cannot be combined.")
            }
            format = .json
        }
        if by != nil { _ = try outlineFormat() }
        guard !plistbuddy || format.showsEntries && by == nil && diff.isEmpty else {
            throw ValidationError("--plistbuddy is for reports as text or html.")
        }
        guard !diff.isEmpty else { return }
        guard diff.count == 2 else { throw ValidationError("--diff takes two recordings: --diff BEFORE AFTER") }
        guard !choice.isGiven, !baseline.isGiven, by == nil, failOn == nil else {
            throw ValidationError("--diff cannot be combined with --recording, --all, --by, --fail-on or a baseline.")
        }
        _ = try diffFormat()
    }

    func run() throws {
        try results.begin()
        let reader = try store.choices.openedStore()
        try diff.forEach { try reader.check(recording: $0) }
        let names = try masking.names(beside: reader.path)
        guard names == nil || by != .gate else {
            throw CommandFailure.usage(
                "--by gate cannot be combined with masked names: a masked copy does not contain the gates of its loads")
        }
        if !diff.isEmpty {
            let filter = selection.filter(recordings: diff)
            return try ReportSource.with(filter, of: reader, masking: names, compare)
        }
        let rules = try baseline.rules(failOn: counted)
        let (chosen, leftOut) = try choice.recordings(in: reader)
        let filter = selection.filter(recordings: choice.all && leftOut.isEmpty ? [] : chosen.map(\.name))
        try ReportSource.with(filter, of: reader, masking: names) { source in
            let isApart = isatty(STDOUT_FILENO) == 0 || !(results.output.map { $0 == "-" } ?? true)
            let grouped = try Progress.during("reading", of: source.reader.counter) {
                try by == nil && format.isGrouped ? source.reader.grouped(source.filter, context(source, rules)) : nil
            }
            // The names of a masked copy differ from those of a baseline.
            let outcomes = try (names == nil ? grouped?.outcomes : nil) ?? reader.hosts(matching: filter)
            let isMissed = selection.isGiven && outcomes.isEmpty && chosen.contains { $0.loads > 0 }
            // A text report would claim that no load arrived.
            let missed = "no load matches the conditions"
            if isMissed, format == .text {
                throw CommandFailure.nothing(missed + (names == nil ? try reader.recordedValues(instead: filter) : ""))
            }
            try tell(names == nil ? chosen : source.reader.overviews(), names == nil ? leftOut : [])
            try Progress.during("reading", of: source.reader.counter, isShown: isApart) {
                try write(source, grouped, by: rules)
            }
            let isTold = try annotate(source, grouped, outcomes, by: rules)
            if isMissed { throw CommandFailure.nothing(missed) }
            try end(outcomes, by: rules, isTold)
        }
    }

    private func tell(_ chosen: [RecordingOverview], _ leftOut: [RecordingOverview]) {
        // A masked copy contains only the loads of the report.
        StandardError.writeLine("atsgate: " + (chosen.isEmpty ? "no load matches the conditions" : chosen.summary))
        guard !leftOut.isEmpty else { return }
        StandardError.writeLine("atsgate: left out, recorded in another mode: " + leftOut.summary)
    }

    /// The loads that count as failures: reports for CI systems must agree with the exit code.
    private var counted: FailOn { failOn ?? (isJudged || format.isForCI ? .refused : .none) }

    /// True if the options make the exit code depend on the loads.
    private var isJudged: Bool { baseline.isGiven || failOn ?? .none != .none }

    /// - Parameter grouped: nil for a format with an item for each load, and for an outline.
    private func write(_ source: ReportSource, _ grouped: GroupedReport?, by rules: JudgementRules) throws {
        try Output.withOutput(to: results.output, holdsRecords: true) { output in
            if let by {
                let outline = try source.reader.outline(by: by, of: source.filter)
                return try output.write(Array(outline.written(as: outlineFormat()).utf8))
            }
            guard let grouped else {
                return try source.reader.report(as: format, of: source.filter, context(source, rules)) {
                    try output.write($0)
                }
            }
            let text = grouped.coloured(wantsColour(on: output.descriptor)).text(as: format) ?? ""
            if format == .text { try output.write(wrapped: text) } else { try output.write(Array(text.utf8)) }
        }
    }

    /// - Throws: ``CommandFailure`` with 65 for a dictionary that cannot be read.
    private func context(_ source: ReportSource, _ rules: JudgementRules) throws(CommandFailure) -> ReportContext {
        var context = ReportContext(toolVersion: toolVersion)
        context.readDictionary = source.dictionary
        context.showsCommands = plistbuddy
        context.rules = source.names.map { rules.renamed($0.host, file: $0.file) } ?? rules
        guard let policy else { return context }
        do throws(DeclarationError) {
            context.declaration = source.masked(try DeclarationReader.readOne(path: policy))
        } catch {
            throw .badInput("\(error)")
        }
        return context
    }

    /// - Returns: False if a part of the CI output could not be written.
    private func annotate(
        _ source: ReportSource, _ grouped: GroupedReport?, _ outcomes: [HostOutcome], by rules: JudgementRules
    ) throws -> Bool {
        guard annotate == .github || isJudged, let job = GitHubJob(annotate) else { return true }
        let verdicts = outcomes.reduce(into: [Verdict: Int]()) { $0[$1.verdict, default: 0] += $1.loads }
        let report = try grouped ?? source.reader.grouped(source.filter, context(source, rules))
        return job.tell(report, RunJudgement(outcomes, by: rules), verdicts)
    }

    /// - Parameter isTold: true if the CI output is complete.
    /// - Throws: `ExitCode` with 74 if the CI output is incomplete, and with 1 if loads count as failures;
    ///   ``CommandFailure`` with 3 if no load was judged.
    private func end(_ outcomes: [HostOutcome], by rules: JudgementRules, _ isTold: Bool) throws {
        try baseline.settle(outcomes, by: rules)
        guard isTold else { throw ExitCode(74) }
        let judgement = RunJudgement(outcomes, by: rules)
        switch judgement.exitStatus {
        case 0: return
        case 1: throw ExitCode(1)
        default: throw CommandFailure.nothing(judgement.nothingJudged?.sentence ?? "nothing was judged")
        }
    }

    private func compare(_ source: ReportSource) throws {
        func hosts(_ name: String) throws -> (name: String, hosts: [HostOutcome]) {
            let name = source.names?.recording(name) ?? name
            var filter = source.filter
            filter.recordings = [name]
            return (name, try source.reader.hosts(matching: filter))
        }
        let diff = RecordingDiff(try hosts(diff[0]), try hosts(diff[1]))
        let text = diff.written(as: try diffFormat())
        try Output.withOutput(to: results.output, holdsRecords: true) { output in
            if format == .text {
                try output.write(wrapped: text, hanging: 4)
            } else {
                try output.write(Array(text.utf8))
            }
        }
        guard !diff.hasNewBlocks else { throw ExitCode(1) }
    }

    private func outlineFormat() throws -> ReportOutline.Format {
        guard let format = ReportOutline.Format(rawValue: format.rawValue) else {
            let names = ReportOutline.Format.allCases.map(\.rawValue)
            throw ValidationError("--by can be written only as \(names.joined(separator: ", ")).")
        }
        return format
    }

    private func diffFormat() throws -> RecordingDiff.Format {
        guard let format = RecordingDiff.Format(rawValue: format.rawValue) else {
            let names = RecordingDiff.Format.allCases.map(\.rawValue)
            throw ValidationError("--diff can be written only as \(names.joined(separator: ", ")).")
        }
        return format
    }
}

import ArgumentParser
import Foundation
import Records
import Reporting

/// Exports what was recorded.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Tells what was recorded: for people, for CI systems, for scripts.",
        discussion: """
            Works while a gate is running. Without --recording, all recordings of the store.

            Exit code: 0; 1 when --baseline finds something new, or --diff something newly blocked.
            """)

    @OptionGroup var store: DeclaredOptions<StoreCatalogue>

    @Option(help: ArgumentHelp("Only the run of this name.", valueName: "name"))
    var recording: String?

    @Option(
        help: ArgumentHelp(
            "text or markdown for people; junit for CI; csv, json (grouped) or jsonl (a record per line) for scripts.",
            valueName: "format"))
    var format: ReportFormat = .text

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Compare two recordings by host and rule: what is new, gone and changed.", valueName: "recording"))
    var diff: [String] = []

    @OptionGroup var baseline: BaselineOptions

    @Option(help: ArgumentHelp("Write to a file instead of standard output.", valueName: "path"))
    var output: String?

    func validate() throws {
        guard !diff.isEmpty else { return }
        guard diff.count == 2 else { throw ValidationError("--diff takes the names of two recordings.") }
        guard recording == nil, !baseline.isAsked else {
            throw ValidationError("--diff goes with neither --recording nor a baseline.")
        }
        guard format == .text || format == .jsonl else {
            throw ValidationError("--diff is written as text or jsonl.")
        }
    }

    func run() throws {
        guard let path = try store.choices().storePath else { throw CommandFailure.usage("name the store to read") }
        do {
            let reader = try StoreReader(path: path)
            try (diff + [recording].compactMap(\.self)).forEach { try reader.check(recording: $0, path: path) }
            if let before = diff.first, let after = diff.last { return try compare(before, after, in: reader) }
            let known = try baseline.read()
            try Output.withOutput(to: output, { try export(reader, to: $0) })
            guard baseline.isAsked else { return }
            let found = ViolationTally(try reader.hosts(recording: recording))
            guard try baseline.settle(found, against: known) else { throw ExitCode(1) }
        } catch let error as StoreError {
            throw CommandFailure(error)
        }
    }

    private func compare(_ before: String, _ after: String, in reader: StoreReader) throws {
        let diff = RecordingDiff(
            (before, try reader.hosts(recording: before)), (after, try reader.hosts(recording: after)))
        let text = format == .jsonl ? diff.jsonLines : diff.text
        try Output.withOutput(to: output) { try $0.write(Array(text.utf8)) }
        guard !diff.hasNewBlocks else { throw ExitCode(1) }
    }

    private func export(_ reader: StoreReader, to output: Output) throws {
        let context = ReportContext(toolVersion: toolVersion, isColoured: wantsColour(on: output.descriptor))
        try reader.report(as: format, of: RecordFilter(recording: recording), context) { try output.write($0) }
    }
}

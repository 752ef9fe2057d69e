import ArgumentParser
import Foundation
import Records
import Reporting

/// Exports what was recorded.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Tells what was recorded: for people, for CI systems, for scripts.",
        discussion: "Works while a gate is running. Without --recording, all recordings of the store.")

    @OptionGroup var store: DeclaredOptions<StoreCatalogue>

    @Option(help: ArgumentHelp("Only the run of this name.", valueName: "name"))
    var recording: String?

    @Option(
        help: ArgumentHelp(
            "text or markdown for people; junit for CI; csv, json (grouped) or jsonl (a record per line) for scripts.",
            valueName: "format"))
    var format: ReportFormat = .text

    @Option(help: ArgumentHelp("Write to a file instead of standard output.", valueName: "path"))
    var output: String?

    func run() throws {
        guard let path = try store.choices().storePath else { throw CommandFailure.usage("name the store to read") }
        do {
            let reader = try StoreReader(path: path)
            try recording.map { try reader.check(recording: $0, path: path) }
            try Output.withOutput(to: output, { try export(reader, to: $0) })
        } catch let error as StoreError {
            throw CommandFailure(error)
        }
    }

    private func export(_ reader: StoreReader, to output: Output) throws {
        var renderer = format.renderer(isColoured: wantsColour(on: output.descriptor))
        var pending: [UInt8] = []
        try reader.forEach(recording: recording) { record in
            try renderer.add(record, to: &pending)
            guard pending.count >= Self.chunkBytes else { return }
            try output.write(pending)
            pending.removeAll(keepingCapacity: true)
        }
        renderer.finish(to: &pending)
        try output.write(pending)
    }

    private static let chunkBytes = 65_536
}

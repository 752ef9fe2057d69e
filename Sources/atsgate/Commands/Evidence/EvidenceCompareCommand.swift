import ArgumentParser
import Diagnosis
import Foundation
import Text

/// Compares what devices did with the gate's verdict on the same loads.
struct EvidenceCompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares what devices did with what the gate decides on the same loads.",
        discussion: """
            Without LOG, compares a recording: one from evidence import, or from a gate in witness mode. Each load is \
            judged by --policy on the release in its log (else --os, else the newest). Its outcome, error codes, \
            console lines and logged ATS settings are compared: agree, gate stricter, gate laxer, other code, other \
            lines, other entry, or unknown, with the reason. Logs of devices do not contain the server's \
            handshake: --with names a gate's recording of the same servers. A test of nscurl is judged by its own \
            dictionary; --matrix compares a whole output with probe --matrix --json.

            Exit code: 0; 1 when the gate was stricter or laxer for a load; 3 when no load could be compared; 64; 65 \
            for a log, a store or a dictionary that cannot be read; 74.
            """)

    @OptionGroup var arguments: ComparisonArguments

    @Option(
        help: ArgumentHelp(
            "Output of probe --matrix --json for the same host, compared with nscurl's tests by name.",
            valueName: "file"), completion: .file())
    var matrix: String?

    @Flag(help: "Print one JSON object per load, one per line.")
    var json = false

    @OptionGroup var results: ResultOptions

    func run() throws {
        try results.begin()
        let matrix = try matrix.map(SavedMatrix.init(file:))
        var words = ComparisonWords()
        var end = ComparisonEnd()
        try Output.withOutput(to: results.output, holdsRecords: true) { output in
            var sink = LineSink(output)
            let take: (ComparedLoad) throws -> Void = { load in
                words.add(load)
                guard json else { return }
                sink.add(load.json.text)
                try sink.flush(atLeast: LineSink.usual)
            }
            end = try matrix.map { try arguments.compare($0, take) } ?? arguments.compare(take)
            if !json, end.compared > 0 { sink.add(String(words.text.dropLast())) }
            try sink.flush()
        }
        if words.hasBreach, !arguments.paths.isEmpty, arguments.policy.policy == nil {
            StandardError.writeLine(
                "atsgate: note: judged by the secure defaults; name the dictionary of the app with --policy")
        }
        do {
            try end.end()
        } catch {
            // Differences found before the error take precedence.
            throw words.hasBreach ? ExitCode(1) : error
        }
        if words.hasBreach { throw ExitCode(1) }
    }
}

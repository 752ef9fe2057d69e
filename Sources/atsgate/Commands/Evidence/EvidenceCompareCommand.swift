import ArgumentParser
import Diagnosis
import Foundation
import Text

/// Holds what devices did against what the law says of the same loads.
struct EvidenceCompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares what devices did with what the gate decides on the same loads.",
        discussion: """
            Without LOG, a recording is compared: one that evidence import made, or that a gate made in witness \
            mode. Each load is judged by --policy on the system that its log tells (else --os, else the newest), and \
            its outcome, numbers, console lines and what its log says of the rules are compared: agree, gate \
            stricter, gate laxer, other code, other lines, other entry, or cannot tell, and why. What an origin \
            showed is in no log of a device: --with names a gate's recording of the same origins. A test of nscurl \
            is judged by its own dictionary; --matrix compares a whole output with probe --matrix --json.

            Exit code: 0; 1 when the gate was stricter or laxer anywhere; 3 when no load could be compared; 64; 65 \
            for a log, a store or a dictionary that cannot be read; 74.
            """)

    @OptionGroup var arguments: ComparisonArguments

    @Option(
        help: ArgumentHelp(
            "What probe --matrix --json wrote of the same host: compared with nscurl's tests, name by name.",
            valueName: "file"), completion: .file())
    var matrix: String?

    @Flag(help: "One JSON object per load and line.")
    var json = false

    func run() throws {
        let matrix = try matrix.map(SavedMatrix.init(file:))
        var words = ComparisonWords()
        var end = ComparisonEnd()
        try Output.withOutput(to: nil) { output in
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
        do {
            try end.end()
        } catch {
            // What was told of the loads before counts for more.
            throw words.hasBreach ? ExitCode(1) : error
        }
        if words.hasBreach { throw ExitCode(1) }
    }
}

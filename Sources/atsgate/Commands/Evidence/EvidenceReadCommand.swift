import ArgumentParser
import Evidence
import Text

struct EvidenceReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Lists the loads that a device's log shows: host, outcome, error, ruling, TLS.",
        discussion: """
            LOG is a file, a folder that is searched for logs, or - for standard input: Xcode's console, log show and \
            log stream in every style, copies from Console.app, idevicesyslog, pymobiledevice3, nscurl \
            --ats-diagnostics, HAR, and the text files that xcresulttool exports. Memory use does not depend on the \
            size of a log. Lines that belong to no load are counted on standard error, never guessed.

            blocked: ATS or the system's strict trust refused the load; failed: any other error; allowed: a response \
            arrived; unknown: the log does not show the end.

            Exit code: 0; 3 when no load was found; 65 when a log cannot be read (the others are still read).
            """)

    @OptionGroup var logs: LogArguments

    @Flag(help: "Print one JSON object per load, one per line.")
    var json = false

    @OptionGroup var results: ResultOptions

    func run() throws {
        try results.begin()
        var table = EvidenceTable()
        var reading: LogReading?
        try Output.withOutput(to: results.output, holdsRecords: true) { output in
            var sink = LineSink(output)
            var hasHead = json
            reading = try logs.read { task in
                if !hasHead { sink.add(table.head) }
                hasHead = true
                sink.add(json ? task.json.text : table.line(task))
            } after: {
                try sink.flush(atLeast: LineSink.usual)
            }
            table.legend.forEach { sink.add($0) }
            try sink.flush()
        }
        try reading?.end()
    }
}

/// The logs to read.
struct LogArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Files or folders with logs, or - for standard input.", valueName: "log"),
        completion: .file())
    var paths: [String]

    /// Reads all logs.
    ///
    /// - Parameters:
    ///   - each: receives each load.
    ///   - after: runs after each piece of a log.
    func read(_ each: (EvidenceTask) -> Void, after: () throws -> Void = {}) throws -> LogReading {
        try Self.read(paths, each, after: after)
    }

    /// - Throws: ``CommandFailure`` with 64 if standard input would be a log and the dictionary.
    static func check(_ paths: [String], beside policy: String?) throws(CommandFailure) {
        guard policy == "-", paths.contains("-") else { return }
        throw .usage("standard input can be a log or the dictionary, not both")
    }

    /// Reads the logs at `paths`.
    static func read(
        _ paths: [String], _ each: (EvidenceTask) -> Void, after: () throws -> Void = {}
    ) throws -> LogReading {
        var reading = LogReading()
        for path in paths { try reading.read(path, each, after: after) }
        return reading
    }
}

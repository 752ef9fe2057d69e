import ArgumentParser
import Foundation

/// The options for results that the commands share.
struct ResultOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write to a file instead of standard output.", valueName: "path"))
    var output: String?

    @Flag(
        name: .shortAndLong,
        help: ArgumentHelp("Print no notes on standard error, only errors.", visibility: .seldom))
    var quiet = false

    /// Applies the options before the command works.
    ///
    /// - Throws: ``CommandFailure`` with 74 if the file cannot be written.
    func begin() throws(CommandFailure) {
        if quiet { StandardError.omitNotes() }
        if let output { try Output.check(output) }
    }

    /// True if the results go to standard output, and that is a terminal.
    var isForTerminal: Bool { output == nil && isatty(STDOUT_FILENO) == 1 }
}

extension ArgumentHelp {
    /// The help of `--json` for a command with `--format`.
    static let sameAsJSON = ArgumentHelp("Same as --format json.", visibility: .seldom)
}

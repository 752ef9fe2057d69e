import Foundation
import Records
import Reporting
import Synchronization
import Text

/// Messages for the user. Standard output is only for data.
enum StandardError {
    /// Writes `text` and a line end in one call, so that lines of several writers do not mix. Escapes terminal control
    /// characters.
    static func writeLine(_ text: String) {
        write(text.printableLines + "\n")
    }

    /// Prints an error, even if notes are omitted.
    static func printError(_ sentence: String) {
        ConsoleWriter.standardError.write("atsgate: error: \(sentence)".printableLines + "\n")
    }

    /// Writes `text` unchanged. A closed or unread standard error does not stop the command.
    static func write(_ text: String) {
        guard !omitsNotes.load(ordering: .relaxed) else { return }
        ConsoleWriter.standardError.write(text)
    }

    /// From now on prints only errors, for `--quiet` of commands with results.
    static func omitNotes() { omitsNotes.store(true, ordering: .relaxed) }

    private static let omitsNotes = Atomic(false)
}

/// Whether to use colours on a descriptor: on a terminal, unless NO_COLOR (no-color.org) is set or the terminal is
/// dumb.
func wantsColour(on descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
    guard isatty(descriptor) == 1, environment["NO_COLOR", default: ""].isEmpty else { return false }
    return environment["TERM"] != "dumb"
}

extension GateChoices {
    /// The sinks that print loads while they happen.
    ///
    /// - Parameter style: the default style.
    func consoleSinks(usually style: ConsoleStyle) -> [any RecordSink] {
        let style = isQuiet ? .none : console ?? style
        return style == .none ? [] : [ConsoleSink(style: style)]
    }
}

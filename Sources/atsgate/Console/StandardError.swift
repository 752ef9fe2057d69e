import Foundation
import Records
import Reporting
import Text

/// Prose for people. Standard output is for data alone.
enum StandardError {
    /// Writes `text` and a line end in one call, so that lines of several writers do not mix. What could steer a
    /// terminal is escaped.
    static func say(_ text: String) {
        write(text.printableLines + "\n")
    }

    /// Says what went wrong.
    static func complain(_ sentence: String) {
        say("atsgate: error: \(sentence)")
    }

    /// Writes `text` as it is. A standard error that is gone, or that nobody reads, is no reason to stop.
    static func write(_ text: String) {
        ConsoleWriter.standardError.write(text)
    }
}

/// Whether colours are wanted on a descriptor: a terminal, and neither NO_COLOR (no-color.org) nor a dumb one.
func wantsColour(on descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
    guard isatty(descriptor) == 1, environment["NO_COLOR", default: ""].isEmpty else { return false }
    return environment["TERM"] != "dumb"
}

extension GateChoices {
    /// What tells people of loads while they happen.
    ///
    /// - Parameter style: where nobody asked for one.
    func consoleSinks(usually style: ConsoleStyle) -> [any RecordSink] {
        let style = isQuiet ? .none : console ?? style
        return style == .none ? [] : [ConsoleSink(style: style)]
    }
}

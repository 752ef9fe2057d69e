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

/// Colours for the output of commands, used if ``wantsColour(on:environment:)`` allows it. Source of the codes: ECMA-48
/// section 8.3.117.
struct Colours {
    /// Texts at the start of a line, or anywhere if `isAnywhere`, with their colour codes.
    private let marks: [(text: String, code: String)]
    private let isAnywhere: Bool

    /// The colours that compilers use.
    static let lint = Colours(
        [(" error: ", "1;31"), (" warning: ", "1;33"), (" note: ", "1;36")], isAnywhere: true)
    static let doctor = Colours([("problem", "31"), ("ok", "32"), ("unknown", "33")])
    static let explain = Colours([("  allowed", "32"), ("  blocked", "31")])
    static let replay = Colours([("NEWLY BLOCKED", "31"), ("NEWLY ALLOWED", "32"), ("UNKNOWN", "33")])

    private init(_ marks: [(text: String, code: String)], isAnywhere: Bool = false) {
        self.marks = marks
        self.isAnywhere = isAnywhere
    }

    /// Colours the first mark of each line if standard output is a terminal with colours.
    func painted(_ text: String) -> String {
        guard wantsColour(on: STDOUT_FILENO) else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { paint($0) }.joined(separator: "\n")
    }

    private func paint(_ line: Substring) -> String {
        for (text, code) in marks {
            let place = isAnywhere ? line.firstRange(of: text) : line.hasPrefix(text) ? line.firstRange(of: text) : nil
            guard let place else { continue }
            return line[..<place.lowerBound] + "\u{1B}[\(code)m" + text + "\u{1B}[0m" + line[place.upperBound...]
        }
        return String(line)
    }
}

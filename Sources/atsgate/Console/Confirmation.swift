import Foundation
import Reporting
import Text

/// A question to the user before a change that cannot be undone.
enum Confirmation {
    /// True if the user can answer.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Asks, and returns true for yes.
    static func ask(_ question: String) -> Bool {
        StandardError.write("\(question.printable) [y/N] ")
        ConsoleWriter.standardError.flush()
        return ["y", "yes"].contains(readLine()?.trimmingCharacters(in: .whitespaces).lowercased())
    }

    /// Asks on a terminal. Scripts have none: there the command itself counts as yes.
    ///
    /// - Throws: ``CommandFailure`` with 64 for any answer other than yes.
    static func require(_ question: String, isGiven: Bool) throws(CommandFailure) {
        guard !isGiven, isPossible else { return }
        guard ask(question) else { throw .usage("nothing was changed") }
    }
}

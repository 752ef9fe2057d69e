import ArgumentParser
import Files
import Foundation
import Text

/// What is known and let pass: options of all commands that can fail by what they find.
struct BaselineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Let pass what this file lists, and fail by what is new.",
            discussion: "One host and rule a line; # begins a comment. What is gone is told, so that the file shrinks.",
            valueName: "file"))
    var baseline: String?

    @Option(help: ArgumentHelp("Write such a file of what is found now, and pass.", valueName: "file"))
    var writeBaseline: String?

    /// A baseline decides, not the mere number of violations.
    var isAsked: Bool { baseline != nil || writeBaseline != nil }

    /// The file of `--baseline`; nil without one.
    ///
    /// - Throws: ``CommandFailure`` with 65.
    func read() throws(CommandFailure) -> Baseline? {
        guard let baseline else { return nil }
        return try Self.read(baseline)
    }

    /// Compares what was found with what is known, tells what differs, and writes the file that is asked for.
    ///
    /// - Returns: whether it passes.
    /// - Throws: ``CommandFailure`` with 65 or 74.
    func settle(_ violations: ViolationTally, against known: Baseline?) throws -> Bool {
        let found = violations.found
        var passes = true
        if let known, let baseline {
            let comparison = known.compare(found.keys)
            passes = comparison.new.isEmpty
            StandardError.say(Self.words(comparison, found, file: baseline))
        }
        guard let writeBaseline else { return passes }
        // Comments of what stays are kept.
        let old = try known ?? (FileManager.default.fileExists(atPath: writeBaseline) ? Self.read(writeBaseline) : nil)
        let new = (old ?? Baseline()).replaced(by: found.keys)
        try WholeFile.write(new.text(title: Self.title), to: writeBaseline)
        StandardError.say("atsgate: \(writeBaseline) lists \(found.count) now")
        return true
    }

    private static func read(_ path: String) throws(CommandFailure) -> Baseline {
        let text: String
        do { text = try InputFile.text(of: path) } catch {
            throw .badInput("\(path) cannot be read: \(error)")
        }
        do throws(BaselineFault) {
            return try Baseline(text: text, words: wordsOfEntry)
        } catch {
            throw .badInput("\(path): \(error)")
        }
    }

    private static func words(
        _ comparison: Baseline.Comparison, _ found: [Baseline.Entry: Int], file: String
    ) -> String {
        let loads = comparison.known.reduce(0) { $0 + found[$1, default: 0] }
        let head =
            "atsgate: baseline \(file): \(comparison.new.count) new, \(comparison.known.count) known "
            + "(\(loads) \(loads == 1 ? "load" : "loads")), \(comparison.gone.count) gone"
        let new = comparison.new.map { "atsgate:   new   \($0) (\(found[$0, default: 0]))" }
        let gone = comparison.gone.map { "atsgate:   gone  \($0): take it out" }
        return ([head] + new + gone).map(\.printable).joined(separator: "\n")
    }

    private static let title = "Refused loads that are known to atsgate: host and rule."
    private static let wordsOfEntry = 2
}

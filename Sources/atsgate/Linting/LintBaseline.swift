import Diagnosis
import Files
import Foundation
import Text

/// The files of `--baseline` and `--write-baseline`.
struct LintBaseline {
    private let read: String?
    private let written: String?

    init(read: String?, write: String?) {
        self.read = read
        written = write
    }

    /// Returns the report without known findings. Prints the entries that are no longer found.
    ///
    /// - Throws: ``CommandFailure`` with 65 for a file that is not a baseline, 74 for one that cannot be written.
    func applied(to report: LintReport) throws -> LintReport {
        if let written { try write(report, to: written) }
        guard let path = read ?? written else { return report }
        let (rest, comparison) = report.without(known: try baseline(at: path))
        for entry in comparison.gone {
            StandardError.writeLine("atsgate lint: no longer found; remove it from \(path): \(entry)".printable)
        }
        return rest
    }

    private func baseline(at path: String) throws -> Baseline {
        let text: String
        do { text = try InputFile.text(of: path) } catch {
            throw CommandFailure.badInput("the baseline \(path) cannot be read")
        }
        do { return try Baseline(text: text, words: LintReport.baselineWords) } catch {
            throw CommandFailure.badInput("the baseline \(path): \(error)")
        }
    }

    /// Keeps the comments of entries that remain.
    private func write(_ report: LintReport, to path: String) throws {
        let old = FileManager.default.fileExists(atPath: path) ? try baseline(at: path) : Baseline()
        let new = old.replaced(by: report.baselineEntries)
        let text = new.text(title: "Findings that atsgate lint accepts: FILE RULE KEYPATH")
        try Output.withOutput(to: path) { try $0.write(Array(text.utf8)) }
    }
}

import Foundation
import Reporting
import Text

/// A report to write at the end of a run, as in `junit=report.xml`.
struct ReportRequest: Sendable, Hashable {
    let format: ReportFormat
    /// - is standard output.
    let path: String

    /// The resolved path of the file that the report replaces; nil for standard output and devices.
    var file: String? {
        let place = URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
        return path == "-" || place.hasPrefix("/dev/") ? nil : place
    }

    /// - Throws: ``ValueProblem`` with the expected form.
    init(argument: String) throws(ValueProblem) {
        let sides = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[1].isEmpty else {
            throw ValueProblem("write a format and a path: junit=report.xml")
        }
        let names = ReportFormat.allCases.map(\.rawValue)
        guard let format = ReportFormat(rawValue: String(sides[0])) else {
            let hint = String(sides[0]).nearest(among: names).map { "did you mean \($0)?" }
            throw ValueProblem(
                "unknown format \(sides[0]); " + (hint ?? "formats: \(names.joined(separator: ", "))"))
        }
        self.format = format
        path = String(sides[1])
    }
}

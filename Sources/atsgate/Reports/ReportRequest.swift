import Foundation
import Reporting
import Text

/// A report that is to be written at the end of a run, as in `junit=report.xml`.
struct ReportRequest: Sendable, Hashable {
    let format: ReportFormat
    /// - is standard output.
    let path: String

    /// What is replaced by the report, in one spelling; nil for standard output and devices.
    var file: String? {
        let place = URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
        return path == "-" || place.hasPrefix("/dev/") ? nil : place
    }

    /// - Throws: ``ValueProblem`` that says what is expected.
    init(argument: String) throws(ValueProblem) {
        let sides = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[1].isEmpty else {
            throw ValueProblem("write a format and a path: junit=report.xml")
        }
        let names = ReportFormat.allCases.map(\.rawValue)
        guard let format = ReportFormat(rawValue: String(sides[0])) else {
            let hint = String(sides[0]).nearest(among: names).map { "did you mean \($0)?" }
            throw ValueProblem(
                "there is no format \(sides[0]); " + (hint ?? "there are \(names.joined(separator: ", "))"))
        }
        self.format = format
        path = String(sides[1])
    }
}

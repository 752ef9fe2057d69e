import ATSPolicy
import Diagnosis
import Foundation
import Reporting
import Text

/// The requested reports of a run, written one after the other from its store.
struct ReportFiles {
    let requests: [ReportRequest]
    /// The dictionary of the run, with names masked like those of its loads.
    let declaration: Declaration

    /// - Throws: ``CommandFailure`` with 64 if two reports have the same file, and with 74 for the first file that
    ///   cannot be written.
    static func check(_ requests: [ReportRequest]) throws(CommandFailure) {
        var taken: Set<String> = []
        for request in requests {
            guard let file = request.file, !taken.insert(file).inserted else { continue }
            throw .usage("--report: \(request.path) is named twice, and the second report would replace the first")
        }
        for request in requests {
            try Output.check(request.path, as: "the report \(request.format.rawValue)=\(request.path)")
        }
    }

    /// Writes all reports. A failed report does not prevent the others; errors are printed on standard error.
    ///
    /// - Parameters:
    ///   - report: the loads of the run; nil if they were not read yet.
    ///   - filter: the same loads in the store that `reader` reads.
    /// - Returns: True if all were written.
    func write(
        _ report: GroupedReport?, _ filter: RecordFilter, from reader: StoreReader, _ context: ReportContext
    ) -> Bool {
        var isWhole = true
        for request in requests {
            do {
                try Output.withOutput(to: request.path, holdsRecords: true) { output in
                    try Progress.during("reading for \(request.path)", of: reader.counter, isShown: request.path != "-")
                    {
                        guard request.format.isGrouped else {
                            return try reader.report(as: request.format, of: filter, context) { try output.write($0) }
                        }
                        let report = try report ?? reader.grouped(filter, context)
                        let text = report.coloured(wantsColour(on: output.descriptor)).text(as: request.format) ?? ""
                        guard request.format == .text else { return try output.write(Array(text.utf8)) }
                        try output.write(wrapped: text)
                    }
                }
            } catch {
                let words = CommandFailure(of: error)?.sentence ?? "\(error)"
                StandardError.printError("the report \(request.format.rawValue)=\(request.path): \(words)")
                isWhole = false
            }
        }
        return isWhole
    }
}

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

import ATSPolicy
import Diagnosis
import Reporting

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
    ///   - filter: the loads of the run.
    ///   - storePath: the store of the run.
    ///   - rules: the loads that count as failures.
    /// - Returns: True if all were written.
    func write(_ filter: RecordFilter, from reader: StoreReader, by rules: JudgementRules) -> Bool {
        var isWhole = true
        for request in requests {
            do {
                try Output.withOutput(to: request.path, holdsRecords: true) { output in
                    var context = ReportContext(
                        declaration: declaration, toolVersion: toolVersion,
                        isColoured: wantsColour(on: output.descriptor))
                    context.rules = rules
                    try Progress.during("reading for \(request.path)", of: reader.counter, isShown: request.path != "-")
                    {
                        guard request.format == .text else {
                            return try reader.report(as: request.format, of: filter, context) { try output.write($0) }
                        }
                        try output.write(wrapped: reader.grouped(filter, context).text(as: .text) ?? "")
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

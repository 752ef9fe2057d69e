import ATSPolicy
import Diagnosis
import Reporting

/// The reports that a run was asked for, written one after the other from its store.
struct ReportFiles {
    let requests: [ReportRequest]
    /// What the run was held against, as its loads are named.
    let declaration: Declaration

    /// - Throws: ``CommandFailure`` with 64 for a file that two are to be written to, and with 74 for the first that cannot be
    ///   written.
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

    /// Writes all of them. One that cannot be written keeps no other from it; what went wrong is told on standard error.
    ///
    /// - Parameters:
    ///   - filter: the loads of the run.
    ///   - storePath: where the run was recorded.
    ///   - rules: what of the loads counts.
    /// - Returns: whether all were written.
    func write(_ filter: RecordFilter, from storePath: String, by rules: JudgementRules) -> Bool {
        var isWhole = true
        for request in requests {
            do {
                let reader = try ReadStores.open(storePath)
                try Output.withOutput(to: request.path) { output in
                    var context = ReportContext(
                        declaration: declaration, toolVersion: toolVersion,
                        isColoured: wantsColour(on: output.descriptor))
                    context.rules = rules
                    try Progress.during("reading for \(request.path)", of: reader.counter, isShown: request.path != "-")
                    {
                        try reader.report(as: request.format, of: filter, context) { try output.write($0) }
                    }
                }
            } catch {
                let words = (error as? CommandFailure)?.sentence ?? "\(error)"
                StandardError.complain("the report \(request.format.rawValue)=\(request.path): \(words)")
                isWhole = false
            }
        }
        return isWhole
    }
}

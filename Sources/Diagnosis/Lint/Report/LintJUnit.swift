import Text

/// JUnit XML: a suite for each file, a case for each finding. A case below `--fail-on` passes and contains the finding
/// as text.
enum LintJUnit {
    /// The whole document.
    static func render(_ report: LintReport) -> String {
        JUnitDocument("atsgate lint", report.files.map { suite($0, in: report) }).text
    }

    private static func suite(_ file: LintedFile, in report: LintReport) -> JUnitDocument.Suite {
        // An empty suite would look as if the file had not been checked.
        guard !file.findings.isEmpty else {
            return JUnitDocument.Suite(file.path, [JUnitDocument.Case("lint", in: file.path, .passed)])
        }
        let cases = file.findings.map { finding in
            JUnitDocument.Case(
                "\(finding.rule) \(finding.keyPath)", in: file.path, at: (file.path, finding.line),
                report.fails(finding)
                    ? .failure(type: finding.rule, message: finding.sentence)
                    : .told("\(finding.severity.rawValue): \(finding.sentence)"))
        }
        return JUnitDocument.Suite(file.path, cases)
    }
}

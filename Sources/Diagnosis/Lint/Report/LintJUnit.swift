import Text

/// JUnit XML: a suite per declaration, a case per finding. What does not reach `--fail-on` passes and tells its text.
enum LintJUnit {
    /// The whole document.
    static func render(_ report: LintReport) -> String {
        JUnitDocument("atsgate lint", report.files.map { suite($0, in: report) }).text
    }

    private static func suite(_ file: LintedFile, in report: LintReport) -> JUnitDocument.Suite {
        // A suite without a case looks as if nothing had been looked at.
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

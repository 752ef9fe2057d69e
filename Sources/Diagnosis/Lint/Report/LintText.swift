import Text

/// Lines as compilers write them: `PATH:LINE:COLUMN: SEVERITY: TEXT [ID]`. Xcode shows them at their place.
enum LintText {
    /// A path or key with a line break must not begin a line of its own, and none may steer a terminal.
    static func render(_ report: LintReport) -> String {
        report.files.flatMap { file in file.findings.map { line($0, in: file) + "\n" } }.joined()
    }

    private static func line(_ finding: LintFinding, in file: LintedFile) -> String {
        let place = finding.line.map { ":\($0):\(finding.column)" } ?? ""
        return "\(file.path)\(place): \(finding.severity.rawValue): \(finding.sentence) [\(finding.rule)]".printable
    }
}

import Text

/// Lines in the format of compilers: `PATH:LINE:COLUMN: SEVERITY: TEXT [ID]`. Xcode shows them in the editor.
enum LintText {
    /// Escapes line breaks and control characters in paths and keys, so that they can neither start a line nor control
    /// a terminal.
    static func render(_ report: LintReport) -> String {
        report.files.flatMap { file in file.findings.map { line($0, in: file) + "\n" } }.joined()
    }

    private static func line(_ finding: LintFinding, in file: LintedFile) -> String {
        let place = finding.line.map { ":\($0):\(finding.column)" } ?? ""
        return "\(file.path)\(place): \(finding.severity.rawValue): \(finding.sentence) [\(finding.rule)]".printable
    }
}

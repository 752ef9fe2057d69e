import Text

/// Lines in the format of compilers, with absolute paths, which Xcode shows in the editor.
enum LintXcode {
    /// - Parameter folder: the base of relative paths.
    static func render(_ report: LintReport, folder: String) -> String {
        report.files.flatMap { file in file.findings.map { line($0, in: file, folder) + "\n" } }.joined()
    }

    private static func line(_ finding: LintFinding, in file: LintedFile, _ folder: String) -> String {
        let path = file.path.hasPrefix("/") || file.path == "-" ? file.path : folder + "/" + file.path
        let place = "\(path):\(finding.line ?? 1):\(finding.column)"
        return "\(place): \(finding.severity.rawValue): \(finding.sentence) [\(finding.rule)]".printable
    }
}

import Text

/// Workflow commands of GitHub Actions, one line per finding.
enum LintGitHub {
    /// Empty if the report has no findings.
    static func render(_ report: LintReport) -> String {
        report.files.flatMap { file in file.findings.map { command($0, in: file).line } }.joined()
    }

    private static func command(_ finding: LintFinding, in file: LintedFile) -> GitHubCommand {
        let level: GitHubCommand.Level
        switch finding.severity {
        case .error: level = .error
        case .warning: level = .warning
        case .note: level = .notice
        }
        return GitHubCommand(
            level, finding.sentence, title: finding.rule, file: file.path, line: finding.line, column: finding.column)
    }
}

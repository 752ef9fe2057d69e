import Text

/// GitLab's Code Quality report: an issue for each finding.
enum LintGitLab {
    static func render(_ report: LintReport) -> String { GitLabIssue.report(report.files.flatMap(issues)) }

    private static func issues(_ file: LintedFile) -> [GitLabIssue] {
        var seen: [String: Int] = [:]
        return file.findings.map { finding in
            let identity = [file.path, finding.rule, finding.keyPath].joined(separator: "\u{0}")
            seen[identity, default: 0] += 1
            return GitLabIssue(
                finding.rule, finding.sentence, fingerprint: LintFingerprint.text(of: identity, seen[identity] ?? 1),
                severity: severity(finding.severity), path: file.path, line: finding.line)
        }
    }

    private static func severity(_ severity: LintRule.Severity) -> GitLabIssue.Severity {
        switch severity {
        case .note: .info
        case .warning: .minor
        case .error: .major
        }
    }
}

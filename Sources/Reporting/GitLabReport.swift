import Records
import Text

/// GitLab's Code Quality report: an issue for each host and rule that a device refuses or that broke.
enum GitLabReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        GitLabIssue.report(report.cases.filter(\.isTrouble).map { issue($0, context) })
    }

    private static func issue(_ reported: ReportCase, _ context: ReportContext) -> GitLabIssue {
        let place = reported.groups.first.flatMap { ReportPlace($0, context) }
        return GitLabIssue(
            reported.key.rule ?? "ats", "\(reported.key.host). \(reported.sentence)",
            fingerprint: reported.fingerprint, severity: severity(reported),
            // An issue without a file is none to GitLab; this is the one that would have to change.
            path: place?.path ?? "Info.plist", line: place?.line)
    }

    private static func severity(_ reported: ReportCase) -> GitLabIssue.Severity {
        switch reported.verdict {
        case .blocked: .major
        case .wouldBlock: .minor
        case .failed, .allowed, .outside: .info
        }
    }
}

import Diagnosis
import Records
import Text

/// GitLab's Code Quality report: an issue for each host and rule that fails the command.
enum GitLabReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        GitLabIssue.report(
            report.cases(by: context.rules).filter { $0.judgement == .fails }.map { issue($0, context) })
    }

    private static func issue(_ reported: ReportCase, _ context: ReportContext) -> GitLabIssue {
        let place = reported.groups.first.flatMap { ReportLocation($0, context) }
        return GitLabIssue(
            reported.key.rule ?? "ats", reported.sentence,
            fingerprint: reported.fingerprint, severity: severity(reported),
            // GitLab ignores an issue without a file. This is the file that would have to change.
            path: place?.path ?? "Info.plist", line: place?.line)
    }

    private static func severity(_ reported: ReportCase) -> GitLabIssue.Severity {
        switch reported.verdict {
        case .blocked, .wouldBlock: .major
        case .failed, .allowed, .outside: .minor
        }
    }
}

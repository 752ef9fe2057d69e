import Records
import Text

/// Workflow commands of GitHub Actions: a line for each host and rule that a device refuses or that broke, the worst
/// first. A step shows ten of each kind.
enum GitHubReport {
    /// Nothing at all where nothing was wrong.
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        report.cases.filter(\.isTrouble).map { command($0, context).line }.joined()
    }

    static func command(_ reported: ReportCase, _ context: ReportContext) -> GitHubCommand {
        let place = reported.groups.first.flatMap { ReportPlace($0, context) }
        return GitHubCommand(
            reported.verdict == .blocked ? .error : .warning, reported.sentence, title: reported.title,
            file: place?.path, line: place?.line)
    }
}

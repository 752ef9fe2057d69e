import Diagnosis
import Records
import Text

/// Workflow commands of GitHub Actions: an error for each host and rule that fails the command, a warning for what was
/// refused or broke and does not count, nothing for what is known. A step shows ten of each kind.
enum GitHubReport {
    /// Nothing at all where nothing was wrong.
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        lines(report, context).joined()
    }

    /// Each with its end, those that fail the command first.
    static func lines(_ report: ReportModel, _ context: ReportContext) -> [String] {
        let cases = report.cases(by: context.rules)
        let failing = cases.filter { $0.judgement == .fails }.map { command($0, context, .error) }
        let uncounted = cases.filter { $0.judgement == .uncounted }.map { command($0, context, .warning) }
        let nothing = report.judgement(by: context.rules).nothingJudged.map {
            GitHubCommand(.error, $0.sentence.capitalizedFirst + ".", title: "no load was judged")
        }
        return ([nothing].compactMap(\.self) + failing + uncounted).map(\.line)
    }

    private static func command(
        _ reported: ReportCase, _ context: ReportContext, _ level: GitHubCommand.Level
    ) -> GitHubCommand {
        let place = reported.groups.first.flatMap { ReportPlace($0, context) }
        return GitHubCommand(
            level, reported.sentence, title: reported.title, file: place?.path, line: place?.line)
    }
}

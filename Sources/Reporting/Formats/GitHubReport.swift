import Diagnosis
import Records
import Text

/// Workflow commands of GitHub Actions: an error for each host and rule that fails the command, a warning for problems
/// that do not count, nothing for known ones. A step shows ten of each kind.
enum GitHubReport {
    /// The commands; empty if there was no problem.
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        lines(report, context).joined()
    }

    /// The commands, each with a line end, those that fail the command first.
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
        let place = reported.groups.first.flatMap { ReportLocation($0, context) }
        return GitHubCommand(
            level, reported.sentence, title: reported.title, file: place?.path, line: place?.line)
    }
}

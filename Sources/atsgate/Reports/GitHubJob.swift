import ArgumentParser
import Diagnosis
import Foundation
import Records
import Reporting
import Text

/// The CI system to write for. Raw values are the values of `--annotate`.
enum Annotating: String, CaseIterable, ExpressibleByArgument {
    /// The one in the environment.
    case auto
    case github, none
}

/// A job of GitHub Actions: annotations at lines of files, a table in the step's summary, outputs of the step.
///
/// Source: docs.github.com, "Workflow commands for GitHub Actions"; docs/ci/github-actions.md.
struct GitHubJob {
    private let environment: [String: String]

    /// - Returns: nil if there is nothing to write.
    init?(_ annotating: Annotating, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let isWanted =
            switch annotating {
            case .auto: environment["GITHUB_ACTIONS"] == "true"
            case .github: true
            case .none: false
            }
        guard isWanted else { return nil }
        self.environment = environment
    }

    /// Writes all three for loads.
    ///
    /// - Parameters:
    ///   - verdicts: the number of loads with each verdict.
    /// - Returns: False if the summary or the outputs could not be written.
    func tell(
        _ report: GroupedReport, _ judgement: RunJudgement, _ verdicts: [Verdict: Int]
    ) -> Bool {
        let lines = report.annotations
        // The runner reads both output streams of a step; standard output belongs to the command.
        StandardError.write(lines.prefix(Self.mostAnnotations).map(inWorkspace).joined())
        let isShown = append(Self.cut(report.text(as: .markdown) ?? "") + "\n", to: "GITHUB_STEP_SUMMARY")
        let counts = [
            ("blocked", verdicts.blocked), ("failed", verdicts[.failed, default: 0]),
            ("loads", verdicts.values.reduce(0, +)), ("new", judgement.loads(.fails)),
            ("known", judgement.loads(.known)),
        ]
        return append(counts.map { "\($0)=\($1)\n" }.joined(), to: "GITHUB_OUTPUT") && isShown
    }

    /// Makes file names relative to the workspace, wherever the step runs.
    private func inWorkspace(_ line: String) -> String {
        guard let workspace = environment["GITHUB_WORKSPACE"],
            let match = line.firstMatch(of: /^::\w+ file=([^,:]+)/)
        else { return line }
        let top = URL(fileURLWithPath: workspace).standardizedFileURL.path + "/"
        let path = URL(fileURLWithPath: String(match.1)).standardizedFileURL.path
        guard path.hasPrefix(top) else { return line }
        return line.replacingCharacters(in: match.1.startIndex..<match.1.endIndex, with: path.dropFirst(top.count))
    }

    /// - Returns: True if the text was written, or if there is no file to write; prints an error otherwise.
    private func append(_ text: String, to variable: String) -> Bool {
        guard let path = environment[variable], !path.isEmpty else { return true }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        defer { if descriptor >= 0 { close(descriptor) } }
        do throws(Output.Failure) {
            guard descriptor >= 0 else { throw Output.Failure(errno: errno) }
            try Output(descriptor: descriptor).write(Array(text.utf8))
            return true
        } catch {
            StandardError.printError("\(variable): \(path) cannot be written: \(error)")
            return false
        }
    }

    /// A summary above one mebibyte is not shown at all, so it is cut.
    private static func cut(_ text: String) -> String {
        guard text.utf8.count > longestSummary else { return text }
        let kept = String(decoding: text.utf8.prefix(longestSummary), as: UTF8.self)
        let lines = kept.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.joined(separator: "\n") + "\n\nThe rest was cut off: GitHub limits the size of a summary.\n"
    }

    /// A step shows at most ten errors and ten warnings, so more would only hide the worst.
    private static let mostAnnotations = 10
    private static let longestSummary = 1_000_000
}

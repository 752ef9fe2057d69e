import ArgumentParser
import Diagnosis
import Foundation
import Records
import Reporting
import Text

/// Whether a run tells a CI system in its own words. Raw values are what `--annotate` takes.
enum Annotating: String, CaseIterable, ExpressibleByArgument {
    /// Where the environment says which system it is.
    case auto
    case github, none
}

/// A job of GitHub Actions: annotations at lines of files, a table in the step's summary, outputs of the step.
///
/// Source: docs.github.com, "Workflow commands for GitHub Actions"; docs/ci/github-actions.md.
struct GitHubJob {
    private let environment: [String: String]

    /// - Returns: nil where nothing is to be told.
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

    /// Tells all three of loads.
    ///
    /// - Parameters:
    ///   - filter: which loads of the store.
    ///   - verdicts: how they ended.
    /// - Returns: whether the summary and the outputs could be written.
    func tell(
        _ reader: StoreReader, _ filter: RecordFilter, _ context: ReportContext, _ judgement: RunJudgement,
        _ verdicts: [Verdict: Int]
    ) throws -> Bool {
        let lines = try reader.annotations(of: filter, context)
        // The runner reads both outputs of a step; standard output is the command's own.
        StandardError.write(lines.prefix(Self.mostAnnotations).map(inWorkspace).joined())
        var table: [UInt8] = []
        try reader.report(as: .markdown, of: filter, context) { table += $0 }
        let isShown = append(Self.cut(String(decoding: table, as: UTF8.self)) + "\n", to: "GITHUB_STEP_SUMMARY")
        let counts = [
            ("blocked", FailOn.blocked.count(in: verdicts)), ("failed", verdicts[.failed, default: 0]),
            ("loads", verdicts.values.reduce(0, +)), ("new", judgement.loads(.fails)),
            ("known", judgement.loads(.known)),
        ]
        return append(counts.map { "\($0)=\($1)\n" }.joined(), to: "GITHUB_OUTPUT") && isShown
    }

    /// Files are named from the top of the workspace, wherever the step runs.
    private func inWorkspace(_ line: String) -> String {
        guard let workspace = environment["GITHUB_WORKSPACE"],
            let match = line.firstMatch(of: /^::\w+ file=([^,:]+)/)
        else { return line }
        let top = URL(fileURLWithPath: workspace).standardizedFileURL.path + "/"
        let path = URL(fileURLWithPath: String(match.1)).standardizedFileURL.path
        guard path.hasPrefix(top) else { return line }
        return line.replacingCharacters(in: match.1.startIndex..<match.1.endIndex, with: path.dropFirst(top.count))
    }

    /// - Returns: whether it could be, or no file is named; what went wrong is told on standard error.
    private func append(_ text: String, to variable: String) -> Bool {
        guard let path = environment[variable], !path.isEmpty else { return true }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        defer { if descriptor >= 0 { close(descriptor) } }
        do throws(Output.Failure) {
            guard descriptor >= 0 else { throw Output.Failure(errno: errno) }
            try Output(descriptor: descriptor).write(Array(text.utf8))
            return true
        } catch {
            StandardError.complain("\(variable): \(path) cannot be written: \(error)")
            return false
        }
    }

    /// A summary has a mebibyte at most, or is not shown at all.
    private static func cut(_ text: String) -> String {
        guard text.utf8.count > longestSummary else { return text }
        let kept = String(decoding: text.utf8.prefix(longestSummary), as: UTF8.self)
        let lines = kept.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.joined(separator: "\n") + "\n\nThe rest is left out: a summary has its limit.\n"
    }

    /// A step shows ten errors and ten warnings at most, so more would only hide which are the worst.
    private static let mostAnnotations = 10
    private static let longestSummary = 1_000_000
}

import ATSPolicy
import Diagnosis
import Records
import Text

/// A table of GitHub's Markdown with a row for each target and release.
enum ProbeMarkdown {
    static func render(_ results: [ProbeResult], _ rules: JudgementRules) -> String {
        let head = [
            MarkdownText.row(["target", "system", "verdict", "rule", "device", "what"]), "|---|---|---|---|---|---|\n",
        ]
        let rows = results.map { result in
            let code = result.verdict == .pass ? "" : result.diagnosis?.apple.map(\.codes) ?? ""
            let cells = [
                MarkdownText.escaped(result.target.url), result.system.title,
                result.isKnown(by: rules) ? "known" : result.word.rawValue,
                result.rule.map { "`\($0.rawValue)`" } ?? "", MarkdownText.escaped(code),
                MarkdownText.escaped(result.sentence ?? ""),
            ]
            return MarkdownText.row(cells)
        }
        return (head + rows).joined()
    }
}

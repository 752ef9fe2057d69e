import ATSPolicy
import Diagnosis
import Records

/// A table of GitHub's Markdown, a row for each target and system.
enum ProbeMarkdown {
    static func render(_ results: [ProbeResult]) -> String {
        let head = ["| target | system | verdict | rule | device | what |", "|---|---|---|---|---|---|"]
        let rows = results.map { result in
            let code = result.verdict == .pass ? "" : result.diagnosis?.apple.map(\.shortCode) ?? ""
            let cells = [
                MarkdownText.escaped(result.target.url), result.system.title, result.verdict.rawValue,
                result.rule.map { "`\($0.rawValue)`" } ?? "", MarkdownText.escaped(code),
                MarkdownText.escaped(result.sentence ?? ""),
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        return (head + rows).map { $0 + "\n" }.joined()
    }
}

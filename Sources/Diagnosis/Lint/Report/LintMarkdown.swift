import Text

/// Tables of GitHub's Markdown, one for each file that has findings.
enum LintMarkdown {
    static func render(_ report: LintReport) -> String {
        let tables = report.files.filter { !$0.findings.isEmpty }.map { file in
            ["### \(MarkdownText.escaped(file.path))", "", "| line | severity | finding | rule |", "|--:|---|---|---|"]
                + file.findings.map { finding in
                    let line = finding.line.map(String.init) ?? ""
                    let sentence = MarkdownText.escaped(finding.sentence)
                    return "| \(line) | \(finding.severity.rawValue) | \(sentence) | `\(finding.rule)` |"
                } + [""]
        }
        return (tables.flatMap(\.self) + [report.summary + "."]).map { $0 + "\n" }.joined()
    }
}

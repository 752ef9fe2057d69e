import Text

/// Tables of GitHub's Markdown, one for each file that has findings.
enum LintMarkdown {
    static func render(_ report: LintReport) -> String {
        let tables = report.files.filter { !$0.findings.isEmpty }.map { file in
            ["### \(escaped(file.path))", "", "| line | severity | finding | rule |", "|--:|---|---|---|"]
                + file.findings.map { finding in
                    let line = finding.line.map(String.init) ?? ""
                    return
                        "| \(line) | \(finding.severity.rawValue) | \(escaped(finding.sentence)) | `\(finding.rule)` |"
                } + [""]
        }
        return (tables.flatMap(\.self) + [report.summary + "."]).map { $0 + "\n" }.joined()
    }

    /// What Markdown or HTML would take for its own has a backslash in front (CommonMark section 2.4).
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.printable {
            if "\\`*_[]<>|#&~".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }
}

import Text

/// Workflow commands of GitHub Actions, one line per finding.
///
/// Escapes: `%`, CR and LF everywhere; `:` and `,` in properties, too, as the runner's own toolkit does it.
enum LintGitHub {
    /// Nothing at all for no findings.
    static func render(_ report: LintReport) -> String {
        report.files.flatMap { file in file.findings.map { command($0, in: file) + "\n" } }.joined()
    }

    private static func command(_ finding: LintFinding, in file: LintedFile) -> String {
        let name: String
        switch finding.severity {
        case .error: name = "error"
        case .warning: name = "warning"
        case .note: name = "notice"
        }
        var properties = ["file=" + property(file.path)]
        if let line = finding.line { properties += ["line=\(line)", "col=\(finding.column)"] }
        properties.append("title=" + property(finding.rule))
        return "::\(name) \(properties.joined(separator: ","))::\(data(finding.sentence))"
    }

    private static func data(_ text: String) -> String {
        // The job's log is a terminal to whoever reads it.
        text.printable.replacing("%", with: "%25")
    }

    private static func property(_ text: String) -> String {
        escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"])
    }

    /// By code point: CR and LF together are one character.
    private static func escaped(_ text: String, _ table: [Unicode.Scalar: String]) -> String {
        text.unicodeScalars.map { table[$0] ?? String($0) }.joined()
    }
}

import ATSPolicy
import Text

/// Comma-separated values by RFC 4180, with a head and a row for each finding.
enum LintCSV {
    static func render(_ report: LintReport) -> String {
        let rows = report.files.flatMap { file in
            file.findings.map { finding in
                [
                    file.path, finding.line.map(String.init) ?? "", "\(finding.column)", finding.severity.rawValue,
                    finding.rule, finding.keyPath, finding.sentence, finding.confidence.rawValue, finding.source,
                ]
            }
        }
        return ([head] + rows).map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
    }

    private static let head = [
        "file", "line", "column", "severity", "rule", "keyPath", "message", "confidence", "source",
    ]

    /// In quotation marks where RFC 4180 section 2 asks for them. A text that a spreadsheet would take for a formula
    /// gets an apostrophe in front (OWASP, CSV Injection).
    private static func field(_ text: String) -> String {
        let text = text.printable
        let safe = text.first.map { "=+-@\t\r".contains($0) } == true && text != "-" ? "'" + text : text
        guard safe.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return safe }
        return "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }
}

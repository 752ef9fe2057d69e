import ATSPolicy
import Text

/// Comma-separated values by RFC 4180: a header, and a row for each finding.
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
        return ([head] + rows).map(CSVText.row).joined()
    }

    private static let head = [
        "file", "line", "column", "severity", "rule", "keyPath", "message", "confidence", "source",
    ]
}

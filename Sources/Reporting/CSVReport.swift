import Records
import Text

/// A row for each group of equal loads, under one head.
enum CSVReport {
    static func render(_ report: ReportModel) -> String {
        ([head] + report.sorted.map(row)).map(CSVText.row).joined()
    }

    private static let head = [
        "verdict", "loads", "origin", "rule", "apple", "deciding", "observed", "confidence", "also", "serverFix",
        "exceptionFix", "tlsVersion", "url",
    ]

    private static func row(_ group: LoadGroup) -> [String] {
        [
            group.key.verdict.rawValue, String(group.loads), group.key.origin, group.key.rule ?? "",
            group.key.codes ?? "", group.key.deciding ?? "", group.observed ?? "", group.confidence ?? "",
            group.alsoRules.joined(separator: " "), group.serverFix ?? "", group.exceptionFix ?? "",
            group.tlsVersion ?? "", group.url,
        ]
    }
}

import Diagnosis
import Records
import Text

/// A table with a row for each host and rule. A cell lists all distinct values of its loads.
enum CSVReport {
    static func render(_ report: ReportModel, _ context: ReportContext) -> String {
        TextTable(head, report.cases(by: context.rules).map(row)).csv
    }

    private static let head =
        [
            "verdict", "loads", "origin", "rule", "apple", "deciding", "observed", "confidence", "also", "serverFix",
            "exceptionFix", "tlsVersion", "url", "host",
        ] + ReportModel.verdicts.map(\.rawValue) + ["judgement"]

    private static func row(_ reported: ReportCase) -> [String] {
        func each(_ separator: String = "; ", _ value: (ReportRow) -> String?) -> String {
            reported.groups.compactMap(value).each.joined(separator: separator)
        }
        let counts = ReportModel.verdicts.map { verdict in
            String(reported.groups.reduce(0) { $0 + ($1.key.verdict == verdict ? $1.loads : 0) })
        }
        return [
            reported.verdict.rawValue, String(reported.loads), each(" ") { $0.key.origin }, reported.key.rule ?? "",
            each { $0.key.codes }, each { $0.key.deciding }, each { $0.observed }, each { $0.confidence },
            reported.groups.flatMap(\.alsoRules).each.joined(separator: " "), each { $0.serverFix },
            each { $0.exceptionFix }, each { $0.tlsVersion }, reported.groups.first?.url ?? "", reported.key.host,
        ] + counts + [reported.judgement.rawValue]
    }
}

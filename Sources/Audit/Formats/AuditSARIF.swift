import ATSPolicy
import Diagnosis
import Text

/// An audit as SARIF 2.1.0: a result for each finding.
enum AuditSARIF {
    static func text(_ page: AuditPage) -> String {
        let report = page.report
        var seen: [String: Int] = [:]
        let results = report.executables.flatMap { executable in
            executable.findings.map { finding in
                let identity = [executable.path, finding.rule, finding.subject].joined(separator: "\u{0}")
                seen[identity, default: 0] += 1
                return SARIFDocument.Result(
                    rule: finding.rule, level: level(finding.severity), message: finding.sentence,
                    place: .file(finding.file, line: finding.line), logicalName: finding.subject,
                    fingerprint: ("atsgateAudit/v1", "\(Fingerprint.text(identity)):\(seen[identity] ?? 1)"))
            }
        }
        return SARIFDocument(
            toolVersion: page.toolVersion, rules: rules(used: Set(report.findings.map(\.rule))), results: results,
            files: [report.path]
        ).text
    }

    /// The rules that have a finding.
    private static func rules(used: Set<String>) -> [SARIFDocument.Rule] {
        let lint = LintBook.all.filter { used.contains($0.id) }.map {
            rule($0.id, $0.title, $0.source, $0.confidence, $0.severity)
        }
        let own = AuditRule.allCases.filter { used.contains($0.rawValue) }.map {
            rule($0.rawValue, $0.title, $0.source, $0.confidence, $0.severity)
        }
        return lint + own
    }

    private static func rule(
        _ id: String, _ title: String, _ source: String, _ confidence: Confidence, _ severity: LintRule.Severity
    ) -> SARIFDocument.Rule {
        SARIFDocument.Rule(
            id: id, title: title, help: "\(title). Source: \(References.shown(source)) (\(confidence.rawValue)).",
            helpAddress: PublicDocument(citedFirstIn: source)?.address, level: level(severity),
            properties: [("source", source), ("confidence", confidence.rawValue)])
    }

    private static func level(_ severity: LintRule.Severity) -> SARIFDocument.Level {
        switch severity {
        case .note: .note
        case .warning: .warning
        case .error: .error
        }
    }
}

import ATSPolicy
import Text

/// SARIF 2.1.0: all rules, and a result for each finding.
enum LintSARIF {
    /// A log with one run, which contains all files.
    static func render(_ report: LintReport, toolVersion: String) -> String {
        SARIFDocument(
            toolVersion: toolVersion, rules: LintBook.all.map(rule), results: report.files.flatMap(results),
            files: report.files.map(\.path)
        ).text
    }

    /// Links to the public document that the rule cites first; the help text names the topic.
    private static func rule(_ rule: LintRule) -> SARIFDocument.Rule {
        SARIFDocument.Rule(
            id: rule.id, title: rule.title,
            help: "\(rule.title). Source: \(References.shown(rule.source)) (\(rule.confidence.rawValue)).",
            helpAddress: PublicDocument(citedFirstIn: rule.source)?.address, level: level(rule.severity),
            properties: [("source", rule.source), ("confidence", rule.confidence.rawValue)])
    }

    private static func results(_ file: LintedFile) -> [SARIFDocument.Result] {
        var seen: [String: Int] = [:]
        return file.findings.map { finding in
            let identity = finding.rule + "\u{0}" + finding.keyPath
            seen[identity, default: 0] += 1
            return SARIFDocument.Result(
                rule: finding.rule, level: level(finding.severity), message: finding.sentence,
                place: .file(file.path, line: finding.line, column: finding.column), logicalName: finding.keyPath,
                fingerprint: ("atsgateRuleAndKey/v1", LintFingerprint.text(of: identity, seen[identity] ?? 1)))
        }
    }

    private static func level(_ severity: LintRule.Severity) -> SARIFDocument.Level {
        switch severity {
        case .note: .note
        case .warning: .warning
        case .error: .error
        }
    }
}

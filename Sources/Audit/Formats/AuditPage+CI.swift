import ATSPolicy
import Diagnosis
import Text

extension AuditPage {
    /// The report for CI systems: a suite for each program, a test for each finding.
    var ci: CIReport {
        var seen: [String: Int] = [:]
        let suites = report.executables.map { executable in
            let tests = executable.findings.map { finding in
                let identity = [executable.path, finding.rule, finding.subject].joined(separator: "\u{0}")
                seen[identity, default: 0] += 1
                return CIReport.Test(
                    "\(finding.rule) \(finding.subject)", at: (finding.file, finding.line),
                    [Self.ci(finding, fingerprint: "\(Fingerprint.text(identity)):\(seen[identity] ?? 1)")])
            }
            return CIReport.Suite(executable.path, tests.isEmpty ? [CIReport.Test("audit", [])] : tests)
        }
        return CIReport("atsgate audit", toolVersion: toolVersion, suites, files: [report.path])
    }

    private static func ci(_ finding: AuditFinding, fingerprint: String) -> CIFinding {
        CIFinding(
            rule(of: finding), finding.severity.level, .fails,
            CIFinding.Words(title: finding.rule, message: finding.sentence),
            identity: CIFinding.Identity(of: finding.subject, method: "atsgateAudit/v1", fingerprint: fingerprint),
            at: .file(finding.file, line: finding.line))
    }

    /// The rule in the book of `lint`, or an audit's own.
    private static func rule(of finding: AuditFinding) -> CIFinding.Rule {
        let title =
            LintBook.all.first { $0.id == finding.rule }?.title ?? AuditRule(rawValue: finding.rule)?.title
            ?? finding.rule
        return CIFinding.Rule(
            finding.rule, title: title, source: finding.source, finding.confidence, level: finding.severity.level)
    }
}

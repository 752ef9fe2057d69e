import ATSPolicy
public import Text

extension LintReport {
    /// The report for CI systems: a suite for each file, a test for each finding. A finding below ``failOn`` is a
    /// remark.
    func ci(toolVersion: String) -> CIReport {
        CIReport(
            "atsgate lint", toolVersion: toolVersion, files.map(suite), rules: LintBook.all.map(\.ci),
            files: files.map(\.path))
    }

    /// A table of all findings, for spreadsheets.
    var table: TextTable {
        TextTable(
            ["file", "line", "column", "severity", "rule", "keyPath", "message", "confidence", "source"],
            files.flatMap { file in
                file.findings.map { finding in
                    [
                        file.path, finding.line.map(String.init) ?? "", "\(finding.column)",
                        finding.severity.rawValue, finding.rule, finding.keyPath, finding.sentence,
                        finding.confidence.rawValue, finding.source,
                    ]
                }
            })
    }

    /// A table for each file that has findings, and the summary.
    var markdown: String {
        let tables = files.filter { !$0.findings.isEmpty }.map { file in
            let rows = file.findings.map { finding in
                [finding.line.map(String.init) ?? "", finding.severity.rawValue, finding.sentence, finding.rule]
            }
            let table = TextTable(["line", "severity", "finding", "rule"], rows, numbers: [0], codes: [3])
            return "### \(MarkdownText.escaped(file.path))\n\n\(table.markdown)\n"
        }
        return tables.joined() + summary + ".\n"
    }

    private func suite(_ file: LintedFile) -> CIReport.Suite {
        var seen: [String: Int] = [:]
        let tests = file.findings.map { finding in
            let identity = finding.rule + "\u{0}" + finding.keyPath
            seen[identity, default: 0] += 1
            return CIReport.Test(
                "\(finding.rule) \(finding.keyPath)", at: (file.path, finding.line),
                [ci(finding, in: file, identity, number: seen[identity] ?? 1)])
        }
        // An empty suite would look as if the file had not been checked.
        return CIReport.Suite(file.path, tests.isEmpty ? [CIReport.Test("lint", [])] : tests)
    }

    /// - Parameter number: its place among findings with the same identity.
    private func ci(_ finding: LintFinding, in file: LintedFile, _ identity: String, number: Int) -> CIFinding {
        func fingerprint(_ text: String) -> String { "\(Fingerprint.text(text)):\(number)" }
        return CIFinding(
            LintBook.all.first { $0.id == finding.rule }?.ci ?? LintRule.unreadable.ci, finding.severity.level,
            fails(finding) ? .fails : .remark,
            CIFinding.Words(title: finding.rule, message: finding.sentence),
            identity: CIFinding.Identity(
                of: finding.keyPath, method: "atsgateRuleAndKey/v1", fingerprint: fingerprint(identity),
                issue: fingerprint(file.path + "\u{0}" + identity)),
            at: .file(file.path, line: finding.line, column: finding.column))
    }
}

extension LintRule {
    fileprivate var ci: CIFinding.Rule {
        CIFinding.Rule(id, title: title, source: source, confidence, level: severity.level)
    }
}

extension LintRule.Severity {
    /// The level of a finding for CI systems.
    public var level: CIFinding.Level {
        switch self {
        case .note: .note
        case .warning: .warning
        case .error: .error
        }
    }
}

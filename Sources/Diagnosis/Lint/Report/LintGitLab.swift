import Text

/// GitLab's Code Quality report: a JSON array with an issue for each finding. Source: GitLab Docs, "Code Quality",
/// section "Code Quality report format".
enum LintGitLab {
    static func render(_ report: LintReport) -> String {
        JSONValue.array(report.files.flatMap(issues)).text + "\n"
    }

    private static func issues(_ file: LintedFile) -> [JSONValue] {
        var seen: [String: Int] = [:]
        return file.findings.map { finding in
            let identity = [file.path, finding.rule, finding.keyPath].joined(separator: "\u{0}")
            seen[identity, default: 0] += 1
            return .object([
                ("description", .string(finding.sentence)),
                ("check_name", .string(finding.rule)),
                ("fingerprint", .string(LintFingerprint.text(of: identity, seen[identity] ?? 1))),
                ("severity", .string(severity(finding.severity))),
                (
                    "location",
                    .object([
                        ("path", .string(file.path)),
                        ("lines", .object([("begin", .number(finding.line ?? 1))])),
                    ])
                ),
            ])
        }
    }

    private static func severity(_ severity: LintRule.Severity) -> String {
        switch severity {
        case .note: "info"
        case .warning: "minor"
        case .error: "major"
        }
    }
}

import ATSPolicy
import Text

/// One JSON object for scripts; keys in a fixed order.
enum LintJSON {
    /// The object on one line.
    static func render(_ report: LintReport, toolVersion: String) -> String {
        JSONValue.object([
            ("schema", .number(1)),
            ("version", .string(toolVersion)),
            ("failed", .flag(report.isFailed)),
            ("errors", .number(report.count(.error))),
            ("warnings", .number(report.count(.warning))),
            ("notes", .number(report.count(.note))),
            ("files", .array(report.files.map(file))),
        ]).text + "\n"
    }

    private static func file(_ file: LintedFile) -> JSONValue {
        .object([
            ("path", .string(file.path)),
            ("bundle", .text(file.bundle)),
            ("bundleID", .text(file.bundleID)),
            ("systems", .string(file.systems)),
            ("findings", .array(file.findings.map(finding))),
        ])
    }

    private static func finding(_ finding: LintFinding) -> JSONValue {
        .object([
            ("rule", .string(finding.rule)),
            ("severity", .string(finding.severity.rawValue)),
            ("title", .string(finding.title)),
            ("keyPath", .string(finding.keyPath)),
            ("line", .number(finding.line)),
            ("column", .number(finding.line == nil ? nil : finding.column)),
            ("message", .string(finding.sentence)),
            ("appleLog", .text(finding.appleLog)),
            ("confidence", .string(finding.confidence.rawValue)),
            ("source", .string(finding.source)),
        ])
    }
}

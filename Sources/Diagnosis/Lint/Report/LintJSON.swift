import ATSPolicy

/// One JSON object for scripts; keys in a fixed order.
enum LintJSON {
    /// The object on one line.
    static func render(_ report: LintReport, toolVersion: String) -> String {
        JSONOutput.object([
            ("schema", "1"),
            ("version", JSONOutput.string(toolVersion)),
            ("failed", JSONOutput.boolean(report.isFailed)),
            ("errors", "\(report.count(.error))"),
            ("warnings", "\(report.count(.warning))"),
            ("notes", "\(report.count(.note))"),
            ("files", JSONOutput.list(report.files.map(file))),
        ]) + "\n"
    }

    private static func file(_ file: LintedFile) -> String {
        JSONOutput.object([
            ("path", JSONOutput.string(file.path)),
            ("bundle", JSONOutput.optional(file.bundle)),
            ("bundleID", JSONOutput.optional(file.bundleID)),
            ("systems", JSONOutput.string(file.systems)),
            ("findings", JSONOutput.list(file.findings.map(finding))),
        ])
    }

    private static func finding(_ finding: LintFinding) -> String {
        JSONOutput.object([
            ("rule", JSONOutput.string(finding.rule)),
            ("severity", JSONOutput.string(finding.severity.rawValue)),
            ("title", JSONOutput.string(finding.title)),
            ("keyPath", JSONOutput.string(finding.keyPath)),
            ("line", finding.line.map(String.init) ?? "null"),
            ("column", finding.line == nil ? "null" : "\(finding.column)"),
            ("message", JSONOutput.string(finding.sentence)),
            ("appleLog", JSONOutput.optional(finding.appleLog)),
            ("confidence", JSONOutput.string(finding.confidence.rawValue)),
            ("source", JSONOutput.string(finding.source)),
        ])
    }
}

extension JSONOutput {
    /// - Parameter values: JSON already.
    static func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }
}

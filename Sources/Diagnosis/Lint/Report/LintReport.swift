/// The findings on all files, ready to be written in any ``LintFormat``.
public struct LintReport: Sendable {
    public let files: [LintedFile]
    /// The mildest finding that counts as a failure; nil for none.
    public let failOn: LintRule.Severity?

    public init(files: [LintedFile], failOn: LintRule.Severity? = .error) {
        self.files = files
        self.failOn = failOn
    }

    /// Whether a finding reaches ``failOn``.
    public var isFailed: Bool { files.contains { $0.findings.contains(where: fails) } }

    /// How many findings have a severity.
    public func count(_ severity: LintRule.Severity) -> Int {
        files.reduce(0) { $0 + $1.findings.count { $0.severity == severity } }
    }

    /// For people: `2 errors, 1 warning, 0 notes in 3 declarations`.
    public var summary: String {
        func words(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        let counts = [LintRule.Severity.error, .warning, .note].map { words(count($0), $0.rawValue) }
        return counts.joined(separator: ", ") + " in " + words(files.count, "declaration")
    }

    /// The whole report; ends with a line break unless it is empty.
    ///
    /// - Parameter toolVersion: of atsgate, for formats that name their writer.
    public func text(_ format: LintFormat, toolVersion: String) -> String {
        switch format {
        case .text: LintText.render(self)
        case .json: LintJSON.render(self, toolVersion: toolVersion)
        case .sarif: LintSARIF.render(self, toolVersion: toolVersion)
        case .junit: LintJUnit.render(self)
        case .github: LintGitHub.render(self)
        }
    }

    /// Whether one finding reaches ``failOn``.
    func fails(_ finding: LintFinding) -> Bool { failOn.map { finding.severity >= $0 } ?? false }
}

/// What `--format` takes.
public enum LintFormat: String, Sendable, CaseIterable {
    /// Lines as compilers write them, which Xcode shows in the editor.
    case text
    case json
    /// SARIF 2.1.0, for code scanning.
    case sarif
    case junit
    /// Workflow commands of GitHub Actions.
    case github
}

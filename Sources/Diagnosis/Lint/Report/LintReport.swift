import Text

/// The findings on all files, to be rendered in any ``LintFormat``.
public struct LintReport: Sendable {
    public let files: [LintedFile]
    /// The mildest finding that counts as a failure; nil for none.
    public let failOn: LintRule.Severity?
    /// Findings that a baseline hides.
    public var knownCount = 0

    public init(files: [LintedFile], failOn: LintRule.Severity? = .error) {
        self.files = files
        self.failOn = failOn
    }

    /// True if a finding reaches ``failOn``.
    public var isFailed: Bool { files.contains { $0.findings.contains(where: fails) } }

    /// The number of findings with a severity.
    public func count(_ severity: LintRule.Severity) -> Int {
        files.reduce(0) { $0 + $1.findings.count { $0.severity == severity } }
    }

    /// As text: `2 errors, 1 warning, 0 notes in 3 files`.
    public var summary: String {
        func words(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        let counts = [LintRule.Severity.error, .warning, .note].map { words(count($0), $0.rawValue) }
        return counts.joined(separator: ", ") + (knownCount > 0 ? ", \(knownCount) known" : "") + " in "
            + words(files.count, "file")
    }

    /// The report with warnings as errors, for `--strict`.
    public var strict: LintReport {
        var files = files
        for (file, index) in files.indices.flatMap({ file in files[file].findings.indices.map { (file, $0) } })
        where files[file].findings[index].severity == .warning {
            files[file].findings[index].severity = .error
        }
        return LintReport(files: files, failOn: failOn)
    }

    /// The whole report; ends with a line break unless it is empty.
    ///
    /// - Parameters:
    ///   - toolVersion: of atsgate, for formats that contain it.
    ///   - folder: the base of relative paths, for formats that need absolute ones.
    public func text(_ format: LintFormat, toolVersion: String, folder: String = "") -> String {
        switch format {
        case .text: LintText.render(self)
        case .xcode: LintText.render(self, folder: folder)
        case .csv: table.csv
        case .markdown: markdown
        case .json: LintJSON.render(self, toolVersion: toolVersion)
        case .sarif: ci(toolVersion: toolVersion).text(as: .sarif)
        case .junit: ci(toolVersion: toolVersion).text(as: .junit)
        case .github: ci(toolVersion: toolVersion).text(as: .github)
        case .gitlab: ci(toolVersion: toolVersion).text(as: .gitlab)
        }
    }

    /// True if the finding reaches ``failOn``.
    func fails(_ finding: LintFinding) -> Bool { failOn.map { finding.severity >= $0 } ?? false }
}

/// The values of `--format`.
public enum LintFormat: String, Sendable, CaseIterable {
    /// Lines in the format of compilers.
    case text
    /// The text format with absolute paths, which Xcode shows in the editor.
    case xcode
    case json
    /// SARIF 2.1.0, for code scanning.
    case sarif
    case junit
    /// Workflow commands of GitHub Actions.
    case github
    /// GitLab's Code Quality.
    case gitlab
    case csv
    case markdown
}

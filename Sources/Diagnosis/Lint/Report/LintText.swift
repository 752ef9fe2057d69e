import Text

/// Lines in the format of compilers: `PATH:LINE:COLUMN: SEVERITY: TEXT [ID]`.
enum LintText {
    /// Escapes line breaks and control characters in paths and keys, so that they can neither start a line nor control
    /// a terminal.
    ///
    /// - Parameter folder: the base of relative paths, for Xcode, which shows only absolute ones in the editor and needs
    ///   a line; nil to keep paths as they are.
    static func render(_ report: LintReport, folder: String? = nil) -> String {
        report.files.flatMap { file in
            file.findings.map { finding in
                let place = folder.map { xcodePlace(finding, in: file, $0) } ?? place(finding, in: file)
                return "\(place): \(finding.severity.rawValue): \(finding.sentence) [\(finding.rule)]".printable + "\n"
            }
        }.joined()
    }

    private static func place(_ finding: LintFinding, in file: LintedFile) -> String {
        file.path + (finding.line.map { ":\($0):\(finding.column)" } ?? "")
    }

    private static func xcodePlace(_ finding: LintFinding, in file: LintedFile, _ folder: String) -> String {
        let path = file.path.hasPrefix("/") || file.path == "-" ? file.path : folder + "/" + file.path
        return "\(path):\(finding.line ?? 1):\(finding.column)"
    }
}

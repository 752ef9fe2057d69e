public import Text

extension LintReport {
    /// Number of words in an entry: the file, the rule and the key path.
    public static let baselineWords = 3

    /// The findings as entries of a baseline.
    public var baselineEntries: [Baseline.Entry] {
        files.flatMap { file in
            file.findings.filter { $0.rule != LintRule.unreadable.id }.map { Self.entry($0, in: file.path) }
        }
    }

    /// The report without known findings, and the comparison with the baseline. Files that cannot be read are never
    /// known.
    public func without(known baseline: Baseline) -> (report: LintReport, comparison: Baseline.Comparison) {
        let known = baseline.entries
        let files = files.map { file in
            var rest = file
            rest.findings.removeAll {
                $0.rule != LintRule.unreadable.id && known.contains(Self.entry($0, in: file.path))
            }
            return rest
        }
        var report = LintReport(files: files, failOn: failOn)
        let comparison = baseline.compare(baselineEntries)
        report.knownCount = comparison.known.count
        return (report, comparison)
    }

    private static func entry(_ finding: LintFinding, in path: String) -> Baseline.Entry {
        Baseline.Entry([path, finding.rule, finding.keyPath])
    }
}

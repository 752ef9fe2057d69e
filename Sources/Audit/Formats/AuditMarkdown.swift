import Diagnosis
import Text

/// An audit as a comment for a pull request: the comparison first, then findings and hosts, folded if long.
struct AuditMarkdown {
    let page: AuditPage

    private var report: AuditReport { page.report }

    var text: String {
        ([head] + comparison + [findings, hosts, coverage, origins, foot]).filter { !$0.isEmpty }.joined(
            separator: "\n")
    }

    private var head: String {
        "### ATS grade \(report.grade.rawValue): \(escaped(report.headline))\n\n"
            + report.executables.map { executable in
                "- \(MarkdownText.code(executable.path)) (\(executable.kind.words)): grade \(executable.grade.rawValue), "
                    + "\(escaped(executable.gradeReason))\n"
            }.joined()
    }

    private var comparison: [String] {
        page.diffSections.map { section in
            "#### \(escaped(section.title.capitalizedFirst))\n\n" + section.lines.map { "- \(escaped($0))\n" }.joined()
        }
            + (page.diff?.dictionaries ?? []).map { name, text in
                "#### Dictionary of \(escaped(name))\n\n" + MarkdownText.block(text, "diff")
            }
    }

    private var findings: String {
        let rows = report.executables.flatMap { executable in
            executable.findings.map { finding in
                MarkdownText.row([finding.severity.rawValue, escaped(finding.sentence), "`\(finding.rule)`"])
            }
        }
        guard !rows.isEmpty else { return "" }
        return folded(
            "Findings (\(rows.count))", "| severity | finding | rule |\n|---|---|---|\n", rows,
            isOpen: rows.count <= Self.mostOpen)
    }

    private var hosts: String {
        guard !report.hosts.isEmpty else { return "" }
        let columns = page.columns
        let head = MarkdownText.row(columns) + MarkdownText.row(columns.map { _ in "---" })
        let rows = report.hosts.map { MarkdownText.row(page.cells($0).map(escaped)) }
        return folded("Hosts in the app's files (\(rows.count))", head, rows, isOpen: rows.count <= Self.mostOpen)
    }

    private var coverage: String {
        guard let coverage = report.coverage else { return "" }
        let lines =
            coverage.neverLoaded.map { "- http URL that was never loaded: \(escaped($0))\n" }
            + coverage.notInApp.map {
                "- not in the app's files: \(escaped($0.host)), \(DictionaryWords.count($0.loads, "load", "loads"))\n"
            }
        return "**Coverage by \(escaped(coverage.recording)):** \(coverage.sentence)\n\n"
            + lines.prefix(Self.mostRows).joined()
    }

    private var origins: String {
        guard let origins = report.keyOrigins, !origins.isEmpty else { return "" }
        return "**Keys and the templates that write them** (inferred)\n\n"
            + origins.map { "- \(escaped($0.words))\n" }.joined()
    }

    private var foot: String {
        let facts = page.facts.map { "\($0.name) \($0.name == "SHA-256" ? "`\($0.value)`" : escaped($0.value))" }
        return "<sub>\(facts.joined(separator: " · "))</sub>\n"
    }

    /// A table in a section that can be opened. GitHub limits a comment to 65,536 characters (GitHub Docs).
    private func folded(_ title: String, _ head: String, _ rows: [String], isOpen: Bool) -> String {
        let shown = rows.prefix(Self.mostRows).joined()
        let more = rows.count > Self.mostRows ? "\nand \(rows.count - Self.mostRows) more\n" : ""
        return MarkdownText.details(title, head + shown + more, isOpen: isOpen)
    }

    private func escaped(_ text: String) -> String { MarkdownText.escaped(text) }

    private static let mostOpen = 12
    private static let mostRows = 150
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

import Text

/// The export formats of a recording. Raw values are those of `--format`.
public enum ReportFormat: String, Sendable, Hashable, CaseIterable {
    /// For people.
    case text
    /// For a comment on a merge request.
    case markdown
    /// One file for a browser, with pictures; loads nothing from the network.
    case html
    /// The grouped report itself, for scripts; described in docs/report.md.
    case json
    /// The stored JSON lines, unchanged.
    case jsonl
    /// A row for each host and rule, for spreadsheets.
    case csv
    /// A row for each load, for spreadsheets.
    case csvLoads = "csv-loads"
    /// For the network panel of a browser: an entry for each load.
    case har
    /// For CI systems: a case for each host.
    case junit
    /// For code scanning: SARIF 2.1.0, a result for each host and rule.
    case sarif
    /// Annotations of GitHub Actions.
    case github
    /// GitLab's Code Quality.
    case gitlab

    /// True if a CI system derives its result from the format.
    public var isForCI: Bool {
        switch self {
        case .junit, .sarif, .github, .gitlab: true
        case .text, .markdown, .html, .json, .jsonl, .csv, .csvLoads, .har: false
        }
    }

    /// True if it contains exceptions in a form to paste.
    public var showsEntries: Bool { self == .text || self == .html }

    /// True if it is about groups of loads; false if it has an item for each load.
    public var isGrouped: Bool {
        if case .whole = writer { return true }
        return false
    }

    /// Writes an item for each load, or a text about all.
    enum Writer {
        case rows(any LoadRows)
        case whole((ReportModel, ReportContext) -> String)
    }

    /// The function that writes this format. The only list of all of them.
    var writer: Writer {
        switch self {
        case .text: .whole(TextReport.render)
        case .markdown: .whole(MarkdownReport.render)
        case .html: .whole(HTMLReport.render)
        case .json: .whole(JSONReport.render)
        case .jsonl: .rows(JSONLinesReport())
        case .csv: .whole(CSVReport.render)
        case .csvLoads: .rows(CSVLoads())
        case .har: .rows(HARReport())
        case .junit: .whole { $0.ci($1).text(as: .junit) }
        case .sarif: .whole { $0.ci($1).text(as: .sarif) }
        case .github: .whole { $0.ci($1).text(as: .github) }
        case .gitlab: .whole { $0.ci($1).text(as: .gitlab) }
        }
    }
}

public import ATSPolicy
public import Diagnosis
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

/// The input of a report other than the loads.
public struct ReportContext: Sendable {
    /// The dictionary that the loads were judged by, for references to its lines and a summary of its keys; nil if
    /// unavailable.
    public var declaration: Declaration?
    /// Reads the dictionary at a path, for a report without one; nil if the file is gone or has no dictionary. Used
    /// only if all loads were judged by the same one.
    public var readDictionary: (@Sendable (_ path: String) -> Declaration?)?
    /// The interpretations of ATS to use when judging again.
    public var switches = JudgeSwitches()
    /// Which loads count, and which are known.
    public var rules = JudgementRules()
    /// The version of atsgate, for formats that name their producer.
    public var toolVersion = ""
    /// For the text format only.
    public var isColoured = false
    /// True to print exceptions as commands of PlistBuddy instead of XML, in formats for people.
    public var showsCommands = false

    public init(declaration: Declaration? = nil, toolVersion: String = "", isColoured: Bool = false) {
        self.declaration = declaration
        self.toolVersion = toolVersion
        self.isColoured = isColoured
    }

    /// An exception in the form to paste, a line each.
    func entry(_ fix: ExceptionFix) -> [String] {
        let toPaste = EntryToPaste(fix, in: declaration ?? .secureDefaults)
        return showsCommands ? toPaste.plistBuddy : toPaste.xml
    }

    /// The context with the dictionary of the loads, if it is available.
    func completed(for report: ReportModel) -> ReportContext {
        guard declaration == nil, report.header.sources.count == 1, let source = report.header.sources.first else {
            return self
        }
        var context = self
        context.declaration = source.map { readDictionary?($0) } ?? .secureDefaults
        return context
    }
}

/// A report format with an item for each load, written as they come, with constant memory.
protocol LoadRows: Sendable {
    /// Appends the part before the first load.
    mutating func begin(_ context: ReportContext, to output: inout [UInt8])
    /// Appends one load.
    mutating func add(_ row: LoadRow, to output: inout [UInt8]) throws(StoreError)
    /// Appends the end.
    mutating func end(to output: inout [UInt8])
}

extension LoadRows {
    func begin(_ context: ReportContext, to output: inout [UInt8]) {}
    func end(to output: inout [UInt8]) {}
}

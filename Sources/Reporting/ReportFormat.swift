/// The forms that a recording can be exported to. Raw values are what `--format` takes.
public enum ReportFormat: String, Sendable, Hashable, CaseIterable {
    /// For people.
    case text
    /// For a comment on a merge request.
    case markdown
    /// The grouped report itself, for scripts; docs/report.md says what is in it.
    case json
    /// The stored lines as they are.
    case jsonl
    /// A row for each group of equal loads, for spreadsheets.
    case csv
    /// For CI systems: a case for each origin and rule.
    case junit

    /// A fresh renderer. `isColoured` counts for `text` alone.
    public func renderer(isColoured: Bool = false) -> any ReportRenderer {
        switch self {
        case .text: ModelReport { TextReport.render($0, paint: Paint(isColoured: isColoured)) }
        case .markdown: ModelReport(MarkdownReport.render)
        case .json: ModelReport(JSONReport.render)
        case .jsonl: JSONLinesReport()
        case .csv: ModelReport(CSVReport.render)
        case .junit: ModelReport(JUnitReport.render)
        }
    }

    /// The whole report of `records`.
    ///
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    public func render(_ records: some Sequence<StoredRecord>, isColoured: Bool = false) throws(StoreError) -> [UInt8] {
        var renderer = renderer(isColoured: isColoured)
        var output: [UInt8] = []
        for record in records {
            try renderer.add(record, to: &output)
        }
        renderer.finish(to: &output)
        return output
    }
}

/// Turns rows into a report, one by one, so that a long recording need not fit into memory.
public protocol ReportRenderer {
    /// Takes a row in; appends what can be said already.
    mutating func add(_ record: StoredRecord, to output: inout [UInt8]) throws(StoreError)

    /// Appends the rest. Called once, at the end.
    mutating func finish(to output: inout [UInt8])
}

/// The stored lines as they are.
struct JSONLinesReport: ReportRenderer {
    func add(_ record: StoredRecord, to output: inout [UInt8]) {
        output.append(contentsOf: record.json.utf8)
        output.append(UInt8(ascii: "\n"))
    }

    func finish(to output: inout [UInt8]) {}
}

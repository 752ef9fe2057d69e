import Records
import Text

/// A report with one row for each host, rule, app, device, entrance or gate: the number of loads by verdict, and the rules
/// or hosts.
public struct ReportOutline: Sendable {
    public let grouping: ReportGrouping
    /// The worst first, then by name; devices in order of first use, entrances in their own order.
    public let rows: [ReportTally]

    init(_ model: ReportModel, by grouping: ReportGrouping) {
        self.grouping = grouping
        switch grouping {
        case .host: rows = model.hosts
        case .rule: rows = model.rules
        case .device: rows = model.devices.devices.map { ReportTally(name: $0.name, counts: $0.counts, others: []) }
        case .app: rows = model.apps
        case .entrance: rows = model.entrances
        // Groups do not know their gate; see below.
        case .gate: rows = []
        }
    }
}

extension ReportOutline {
    fileprivate init(_ gates: [String: [Verdict: Int]]) {
        grouping = .gate
        rows = gates.map { ReportTally(name: $0, counts: $1, others: []) }.sorted { $0.name < $1.name }
    }
}

extension StoreReader {
    /// The number of loads that match `filter` by verdict, for each host, rule, device, entrance or gate.
    ///
    /// - Throws: ``StoreError``.
    public func outline(by grouping: ReportGrouping, of filter: RecordFilter) throws -> ReportOutline {
        if grouping == .gate { return ReportOutline(try source.verdictsByGate(of: filter)) }
        return try grouped(filter, ReportContext()).outline(by: grouping)
    }
}

// MARK: - Output

extension ReportOutline {
    /// The output formats. Raw values are those of ``ReportFormat``.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case text, markdown, csv, json
    }

    /// The outline as text that ends with a line end.
    public func written(as format: Format) -> String {
        switch format {
        case .text: table(verdict: \.words).text()
        case .markdown: table(verdict: \.words).markdown
        case .csv: table(verdict: \.rawValue).csv
        case .json: json.text + "\n"
        }
    }

    /// - Parameter verdict: the heading of the column of a verdict.
    private func table(verdict: (Verdict) -> String) -> TextTable {
        let rows = rows.map { row in
            [row.name, String(row.loads)] + shown.map { String(row.counts[$0] ?? 0) }
                + (otherName == nil ? [] : [row.others.joined(separator: " ")])
        }
        return TextTable(
            [grouping.rawValue, "loads"] + shown.map(verdict) + [otherName].compactMap(\.self), rows,
            numbers: Set(1...shown.count + 1))
    }

    /// `by` and `rows[]`, each with `name`, `loads`, `verdicts` and, for hosts and rules, `rules` or `hosts`.
    private var json: JSONValue {
        .object([
            ("by", .string(grouping.rawValue)),
            (
                "rows",
                .array(
                    rows.map { row in
                        .object(
                            [
                                ("name", .string(row.name)), ("loads", .number(row.loads)),
                                ("verdicts", .object(shown.map { ($0.rawValue, .number(row.counts[$0] ?? 0)) })),
                            ]
                                + (otherName.map { [($0, .array(row.others.map { .string($0) }))] } ?? []))
                    })
            ),
        ])
    }

    private var shown: [Verdict] { ReportModel.verdicts }

    private var otherName: String? {
        switch grouping {
        case .host: "rules"
        case .rule: "hosts"
        case .app, .device, .entrance, .gate: nil
        }
    }
}

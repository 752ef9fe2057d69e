public import Records
import Text

/// A report with one row for each host, rule, device or way in: how its loads ended, and by what.
public struct ReportOutline: Sendable {
    /// How the loads of one host, rule, device or way in ended.
    public struct Row: Sendable, Hashable {
        public let name: String
        public let counts: [Verdict: Int]
        /// Of a host the rules that decided over its loads, of a rule the hosts; each once.
        public let others: [String]

        public var loads: Int { counts.values.reduce(0, +) }
    }

    public let grouping: ReportGrouping
    /// The worst first, then by name; devices in the order met, ways in by their own.
    public let rows: [Row]

    init(_ model: ReportModel, by grouping: ReportGrouping) {
        self.grouping = grouping
        switch grouping {
        case .host: rows = model.hosts.map { Row(name: $0.name, counts: $0.counts, others: $0.others) }
        case .rule: rows = model.rules.map { Row(name: $0.name, counts: $0.counts, others: $0.others) }
        case .device: rows = model.devices.devices.map { Row(name: $0.name, counts: $0.counts, others: []) }
        case .entrance: rows = model.entrances.entrances.map { Row(name: $0.name, counts: $0.counts, others: []) }
        // A load does not tell it; see below.
        case .gate: rows = []
        }
    }
}

extension ReportOutline {
    fileprivate init(_ gates: [String: [Verdict: Int]]) {
        grouping = .gate
        rows = gates.map { Row(name: $0, counts: $1, others: []) }.sorted { $0.name < $1.name }
    }
}

extension StoreReader {
    /// How the loads that meet `filter` ended, by host, rule, device or way in.
    ///
    /// - Throws: ``StoreError``.
    public func outline(by grouping: ReportGrouping, of filter: RecordFilter) throws -> ReportOutline {
        if grouping == .gate { return ReportOutline(try read { try $0.verdictsByGate(of: filter) }) }
        var model = ReportModel()
        try forEachGroup(matching: filter) { try model.add($0) }
        return ReportOutline(model, by: grouping)
    }
}

// MARK: - In writing

extension ReportOutline {
    /// The forms that it has. Raw values are those of ``ReportFormat``.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case text, markdown, csv, json
    }

    /// The whole of it, its last line with an end.
    public func written(as format: Format) -> String {
        switch format {
        case .text: text
        case .markdown: markdown
        case .csv: ([head] + rows.map(cells)).map(CSVText.row).joined()
        case .json: json.text + "\n"
        }
    }

    private var text: String {
        let lines = [head] + rows.map { cells($0).map(\.printable) }
        let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            let cells = line.indices.map { column in
                numbers.contains(column)
                    ? line[column].rightAligned(to: widths[column]) : line[column].padded(to: widths[column])
            }
            return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    private var markdown: String {
        let rule = MarkdownText.row(head.indices.map { numbers.contains($0) ? "--:" : "---" })
        return MarkdownText.row(head) + rule
            + rows.map { MarkdownText.row(cells($0).map(MarkdownText.escaped)) }.joined()
    }

    /// `by` and `rows[]`, each with `name`, `loads`, `verdicts` and, but for devices and ways in, `rules` or `hosts`.
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

    private var head: [String] {
        [grouping.rawValue, "loads"] + shown.map(\.rawValue) + [otherName].compactMap(\.self)
    }

    private func cells(_ row: Row) -> [String] {
        let others = row.others.joined(separator: " ")
        return [row.name, String(row.loads)] + shown.map { String(row.counts[$0] ?? 0) }
            + (otherName == nil ? [] : [others])
    }

    private var shown: [Verdict] { ReportModel.verdicts }

    /// Columns that are right-aligned.
    private var numbers: ClosedRange<Int> { 1...shown.count + 1 }

    private var otherName: String? {
        switch grouping {
        case .host: "rules"
        case .rule: "hosts"
        case .device, .entrance, .gate: nil
        }
    }
}

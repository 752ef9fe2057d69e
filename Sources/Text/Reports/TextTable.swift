/// A table with a heading, to be written as text, Markdown or CSV.
public struct TextTable: Sendable {
    private let heading: [String]
    private let rows: [[String]]
    private let numbers: Set<Int>
    private let codes: Set<Int>

    /// - Parameters:
    ///   - numbers: the columns that are right-aligned.
    ///   - codes: the columns with identifiers, which Markdown shows as code.
    public init(_ heading: [String], _ rows: [[String]], numbers: Set<Int> = [], codes: Set<Int> = []) {
        self.heading = heading
        self.rows = rows
        self.numbers = numbers
        self.codes = codes
    }

    /// Aligned columns, a line each row.
    ///
    /// - Parameter margin: the text before each line.
    public func text(margin: String = "") -> String {
        let lines = [heading] + rows.map { $0.map(\.printable) }
        let widths = heading.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            let cells = line.indices.map { column in
                numbers.contains(column)
                    ? line[column].rightAligned(to: widths[column]) : line[column].padded(to: widths[column])
            }
            return margin + String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    /// A table of GitHub's Markdown.
    public var markdown: String { markdownHead + markdownRows.joined() }

    /// The heading, with the rule below it.
    public var markdownHead: String {
        MarkdownText.row(heading)
            + "|" + heading.indices.map { numbers.contains($0) ? "--:|" : "---|" }.joined() + "\n"
    }

    /// A line for each row.
    public var markdownRows: [String] {
        rows.map { row in
            MarkdownText.row(
                row.enumerated().map { column, cell in
                    codes.contains(column) && !cell.isEmpty ? "`\(cell.printable)`" : MarkdownText.escaped(cell)
                })
        }
    }

    /// Comma-separated values by RFC 4180.
    public var csv: String { ([heading] + rows).map(CSVText.row).joined() }
}

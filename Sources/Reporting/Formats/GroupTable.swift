import Records
import Text

/// A table of allowed loads, one row for each origin. Short columns first and the URL last, so that no cell is cut off.
struct GroupTable {
    let groups: [ReportRow]
    let colours: TerminalColours

    /// The table with its heading.
    var text: String {
        let rows = groups.map { [String($0.loads), $0.tlsVersion ?? "-"].map(\.printable) }
        let widths = heading.indices.map { column in
            max(heading[column].count, rows.map { $0[column].count }.max() ?? 0)
        }
        return line(heading, widths: widths, last: "url")
            + zip(groups, rows).map { line($1, widths: widths, last: $0.url + $0.otherURLs) }.joined()
    }

    private let heading = ["count", "tls"]

    private func line(_ cells: [String], widths: [Int], last: String) -> String {
        let aligned = cells.indices.map { column in
            column == 0 ? cells[column].rightAligned(to: widths[column]) : cells[column].padded(to: widths[column])
        }
        return "  " + aligned.joined(separator: "  ") + "  " + last.printable + "\n"
    }
}

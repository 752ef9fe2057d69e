import Records
import Text

/// The rows of one verdict. Short columns first and the URL last, so that nothing need be cut off.
struct GroupTable {
    let groups: [LoadGroup]
    let verdict: Verdict
    let paint: Paint

    /// The table with its heading.
    var text: String {
        let rows = groups.map { $0.cells(isTrouble: isTrouble).map(\.printable) }
        let widths = heading.indices.map { column in
            max(heading[column].count, rows.map { $0[column].count }.max() ?? 0)
        }
        var text = line(heading, widths: widths, last: "url")
        for (group, cells) in zip(groups, rows) {
            text += line(cells, widths: widths, last: group.url + group.otherURLs)
            text += details(of: group)
        }
        return text
    }

    private var isTrouble: Bool { verdict.isTrouble }

    private var heading: [String] { isTrouble ? ["count", "verdict", "apple", "rule"] : ["count", "verdict", "tls"] }

    private func line(_ cells: [String], widths: [Int], last: String) -> String {
        let aligned = cells.indices.map { column in
            column == 0 ? cells[column].rightAligned(to: widths[column]) : cells[column].padded(to: widths[column])
        }
        return "  " + aligned.joined(separator: "  ") + "  " + last.printable + "\n"
    }

    /// What explains a refused load, one line each, however long.
    private func details(of group: LoadGroup) -> String {
        guard isTrouble else { return "" }
        var text = ""
        if let deciding = group.key.deciding { text += detail("key", deciding) }
        if let observed = group.observed { text += detail("saw", observed + group.doubt) }
        if !group.alsoRules.isEmpty { text += detail("also", group.alsoRules.joined(separator: ", ")) }
        if let fix = group.serverFix { text += detail("fix", "server: " + fix) }
        if let fix = group.exceptionFix {
            text += detail(group.serverFix == nil ? "fix" : "or", "would free it: " + fix)
        }
        return text
    }

    private func detail(_ label: String, _ value: String) -> String {
        "         " + paint.quiet(label.padded(to: 4)) + "  " + value.printable + "\n"
    }
}

extension LoadGroup {
    fileprivate func cells(isTrouble: Bool) -> [String] {
        let first = [String(loads), key.verdict.words]
        return first + (isTrouble ? [key.codes ?? "-", key.rule ?? "-"] : [tlsVersion ?? "-"])
    }
}

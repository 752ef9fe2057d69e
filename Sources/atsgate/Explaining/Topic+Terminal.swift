import Text
import Topics

extension Topic {
    /// The text for a terminal: each row of a table as a block with a line for each cell, and links as their words.
    var forTerminal: String {
        var headings: [String] = []
        var isCode = false
        let lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
            if line.hasPrefix("```") { isCode.toggle() }
            guard line.hasPrefix("|"), !isCode else {
                headings = []
                return isCode ? String(line) : Self.unlinked(line)
            }
            let cells = Self.cells(of: line)
            if headings.isEmpty {
                headings = cells
                return nil
            }
            return cells.allSatisfy { $0.allSatisfy { "-:".contains($0) } } ? nil : Self.block(cells, under: headings)
        }
        return lines.joined(separator: "\n")
    }

    private static func block(_ cells: [String], under headings: [String]) -> String {
        let width = 2 + headings.dropFirst().reduce(0) { max($0, $1.count) }
        let rows = zip(headings, cells).dropFirst().filter { !$1.isEmpty }.map { "    " + $0.padded(to: width) + $1 }
        return (["  " + (cells.first ?? "")] + rows).joined(separator: "\n")
    }

    private static func cells(of line: Substring) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { cell in
            var words = unlinked(cell)[...]
            while words.first == " " { words.removeFirst() }
            while words.last == " " { words.removeLast() }
            return String(words)
        }
    }

    private static func unlinked(_ text: Substring) -> String {
        String(text).replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }.replacing("`", with: "")
    }

    /// The rows of its tables, headings included, as plain text.
    var rows: [[String]] {
        text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { Self.plain($0) }
        }
    }

    /// Its sentences.
    var sentences: [String] {
        text.split(separator: "\n").filter { !$0.hasPrefix("|") && !$0.hasPrefix("#") }.map { Self.plain($0) }
    }

    /// Without the marks of links and code.
    private static func plain(_ cell: Substring) -> String {
        var words = cell.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }.replacing("`", with: "")[...]
        while words.first == " " { words.removeFirst() }
        while words.last == " " { words.removeLast() }
        return String(words)
    }

    /// The page about nscurl, for a command line, or the title of a section of its output.
    static func aboutNSCurl(_ text: String) -> String? {
        let words = text.lowercased()
        let commands = ["nscurl ", "/usr/bin/nscurl"]
        if commands.contains(where: words.hasPrefix) { return page }
        let sections = Topic(tests)?.rows.dropFirst(2).compactMap { $0.dropFirst().first } ?? []
        let titles = sections.map { $0.replacing(" for HOST", with: "").lowercased() }
        return titles.contains(where: words.hasPrefix) ? tests : nil
    }

    private static let page = "law/nscurl"
    private static let tests = "law/nscurl#tests"
}

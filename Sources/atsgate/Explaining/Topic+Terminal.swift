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
}

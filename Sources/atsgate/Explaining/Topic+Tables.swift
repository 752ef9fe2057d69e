import Topics

extension Topic {
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

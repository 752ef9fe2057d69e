import Resources

/// A page of `docs`, or one section of it, built into the program.
public struct Topic: Sendable, Hashable {
    /// The path in `docs`, without its extension: `law/tls`. The list of all pages is `topics`.
    public let page: String
    /// The anchor of a heading, as in links; nil for the whole page.
    public let anchor: String?
    /// Markdown, up to the next heading of the same level.
    public let text: String

    /// - Parameter name: `law/tls`, `law/tls#versions`, `docs/law/tls.md#versions`. The folder may be omitted; that of a
    ///   `README` is a name of its own.
    /// - Returns: nil if the page, or the heading on it, does not exist.
    public init?(_ name: String) {
        let parts = name.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var page = parts[0]
        if page.hasPrefix("docs/") { page.removeFirst("docs/".count) }
        if page.hasSuffix(".md") { page.removeLast(".md".count) }
        if page.hasSuffix("/") { page.removeLast() }
        let names = Self.names
        guard
            let found = names.first(where: { $0 == page || $0 == page + "/README" })
                ?? names.first(where: { $0.hasSuffix("/" + page) && page != "README" })
        else { return nil }
        let whole = Resource("docs/\(found).md").text
        anchor = parts.count > 1 ? parts[1] : nil
        guard let text = anchor.map({ Self.part($0, of: whole) }) ?? whole else { return nil }
        self.page = found
        self.text = text
    }

    /// The names of all pages.
    public static var names: [String] {
        Resource.names(of: "docs/").map { String($0.dropFirst("docs/".count).dropLast(".md".count)) }
    }

    private static func part(_ anchor: String, of page: String) -> String? {
        var rank: Int?
        var lines: [Substring] = []
        var isCode = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") { isCode.toggle() }
            let marks = isCode ? 0 : line.prefix { $0 == "#" }.count
            if let own = rank, marks > 0, marks <= own { break }
            if rank == nil, marks > 0, Self.anchor(of: line.dropFirst(marks)) == anchor { rank = marks }
            if rank != nil { lines.append(line) }
        }
        guard rank != nil else { return nil }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the anchor as GitHub generates it: lower case, hyphens for blanks, no other punctuation.
    private static func anchor(of heading: Substring) -> String {
        let text = heading.drop { $0 == " " }.lowercased()
        return String(text.compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil })
    }
}

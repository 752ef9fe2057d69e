/// Escapes text for the Markdown of GitHub and GitLab.
public enum MarkdownText {
    /// Returns the text with a backslash before each character that is special in Markdown or HTML (CommonMark section
    /// 2.4).
    public static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.printable {
            if "\\`*_[]<>|#&~".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// Text as code, on one line. A backtick, which would end it, becomes an apostrophe.
    public static func code(_ text: String) -> String { "`\(text.printable.replacing("`", with: "'"))`" }

    /// Lines as a block of code (CommonMark section 4.5).
    ///
    /// - Parameter language: decides the colours, for example `diff`.
    public static func block(_ text: String, _ language: String) -> String {
        let text = text.printableLines.replacing("```", with: "'''")
        return "```\(language)\n\(text)\(text.hasSuffix("\n") ? "" : "\n")```\n"
    }

    /// A section that the reader can open (GitHub Docs, Organizing information with collapsed sections).
    ///
    /// - Parameters:
    ///   - summary: must already be Markdown, like `text`.
    ///   - text: ends with a line break.
    public static func details(_ summary: String, _ text: String, isOpen: Bool = false) -> String {
        "<details\(isOpen ? " open" : "")><summary>\(summary)</summary>\n\n\(text)\n</details>\n"
    }

    /// Returns one row of a table; its cells must already be Markdown.
    public static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
}

/// Text within Markdown, as GitHub and GitLab read it.
public enum MarkdownText {
    /// What Markdown or HTML would take for its own has a backslash in front (CommonMark section 2.4).
    public static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.printable {
            if "\\`*_[]<>|#&~".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// One row of a table; its cells are Markdown already.
    public static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
}

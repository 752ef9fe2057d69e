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

    /// Returns one row of a table; its cells must already be Markdown.
    public static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
}

import Testing
import Text

@Suite("Markdown")
struct MarkdownTextTests {
    @Test("text cannot end the code, the block or the section that it is in")
    func contained() {
        #expect(MarkdownText.code("a`b\nc") == "`a'b\\u{a}c`")
        #expect(MarkdownText.block("a\n```\n# b", "diff") == "```diff\na\n'''\n# b\n```\n")
        #expect(MarkdownText.block("a\n", "xml") == "```xml\na\n```\n")
        #expect(MarkdownText.escaped("</details>|*a*") == "\\</details\\>\\|\\*a\\*")
    }

    @Test("a section is closed, unless it is open from the beginning")
    func sections() {
        #expect(MarkdownText.details("One", "text\n") == "<details><summary>One</summary>\n\ntext\n\n</details>\n")
        #expect(MarkdownText.details("One", "text\n", isOpen: true).hasPrefix("<details open>"))
    }
}

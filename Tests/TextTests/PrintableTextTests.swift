import Testing
import Text

@Suite("Text for a terminal")
struct PrintableTextTests {
    @Test(
        "what steers a terminal or reorders a line is escaped",
        arguments: [
            ("\u{1B}[2J", #"\u{1b}[2J"#), ("a\nb", #"a\u{a}b"#), ("a\r\nb", #"a\u{d}\u{a}b"#), ("\0", #"\u{0}"#),
            ("\t", #"\u{9}"#), ("\u{7F}", #"\u{7f}"#), ("\u{85}\u{9B}31m", #"\u{85}\u{9b}31m"#),
            ("\u{61C}", #"\u{61c}"#), ("\u{200E}\u{200F}", #"\u{200e}\u{200f}"#), ("\u{202E}x", #"\u{202e}x"#),
            ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#), ("\u{2066}\u{2069}", #"\u{2066}\u{2069}"#),
            ("\u{FEFF}", #"\u{feff}"#), ("\u{FFF9}", #"\u{fff9}"#), ("\u{E0041}", #"\u{e0041}"#),
            ("e\u{301}\u{1B}", "e\u{301}\\u{1b}"),
        ])
    func escaped(text: String, shown: String) {
        #expect(text.printable == shown)
    }

    @Test(
        "every other text stays as it is",
        arguments: ["", "plain", "b\u{fc}cher", "\u{1F468}\u{200D}\u{1F469}", "\u{5E9}", "a\\u{1b}", "\u{A0}", "~"])
    func kept(text: String) {
        #expect(text.printable == text)
    }

    @Test("every control of Unicode, and every bidirectional one, is escaped")
    func everyControl() {
        for value in UInt32(0)...0x2FFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isControl = scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
            guard isControl else { continue }
            #expect(String(scalar).printable == "\\u{" + String(value, radix: 16) + "}")
        }
    }

    @Test("lines stay lines, and nothing else in them steers")
    func lines() {
        #expect("a\n\u{1B}b\r\n\n".printableLines == "a\n\\u{1b}b\\u{d}\n\n")
        #expect("".printableLines.isEmpty)
    }

    @Test("columns are filled with blanks, and long text stays whole")
    func columns() {
        #expect("ab".padded(to: 4) == "ab  ")
        #expect("ab".rightAligned(to: 4) == "  ab")
        #expect("abc".padded(to: 2) == "abc" && "abc".rightAligned(to: -1) == "abc")
    }
}

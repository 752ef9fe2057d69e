import Testing
import Text

@Suite("text for a terminal")
struct PrintableTextTests {
    @Test(
        "characters that control a terminal or reorder a line are escaped",
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
        "all other text stays unchanged",
        arguments: ["", "plain", "b\u{fc}cher", "\u{1F468}\u{200D}\u{1F469}", "\u{5E9}", "a\\u{1b}", "\u{A0}", "~"])
    func kept(text: String) {
        #expect(text.printable == text)
    }

    @Test("every control character and every bidirectional control of Unicode is escaped")
    func everyControl() {
        for value in UInt32(0)...0x2FFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isControl = scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
            guard isControl else { continue }
            #expect(String(scalar).printable == "\\u{" + String(value, radix: 16) + "}")
        }
    }

    @Test("line ends stay, and all other control characters are escaped")
    func lines() {
        #expect("a\n\u{1B}b\r\n\n".printableLines == "a\n\\u{1b}b\\u{d}\n\n")
        #expect("".printableLines.isEmpty)
    }

    @Test("columns are padded with spaces, and longer text is not cut")
    func columns() {
        #expect("ab".padded(to: 4) == "ab  ")
        #expect("ab".rightAligned(to: 4) == "  ab")
        #expect("abc".padded(to: 2) == "abc" && "abc".rightAligned(to: -1) == "abc")
    }
}

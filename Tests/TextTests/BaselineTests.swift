import Testing
import Text

@Suite("baseline of known findings")
struct BaselineTests {
    private let cleartext = Baseline.Entry(["a.example", "ats.cleartext-load"])
    private let version = Baseline.Entry(["a.example", "ats.tls-version"])
    private let secrecy = Baseline.Entry(["b.example", "ats.forward-secrecy"])

    @Test("a baseline is written sorted, one entry per line, and reads back unchanged")
    func writing() throws {
        let baseline = Baseline([secrecy, version, cleartext, version])
        let text = baseline.text(title: "host and rule")
        #expect(
            text == """
                # host and rule

                a.example ats.cleartext-load
                a.example ats.tls-version
                b.example ats.forward-secrecy

                """)
        #expect(try Baseline(text: text, words: 2) == baseline)
    }

    @Test(
        "any word is written so that it reads back unchanged",
        arguments: ["", " ", "a b", "#1", "a\"b", "back\\slash", "tab\tline\nend\r", "ä.example", "\u{1}", "x#y"])
    func anyWord(word: String) throws {
        let baseline = Baseline([Baseline.Entry([word, "rule"])])
        #expect(try Baseline(text: baseline.text(title: "t"), words: 2).entries == baseline.entries)
    }

    @Test("a comparison separates new, known and gone entries")
    func comparing() throws {
        let comparison = Baseline([cleartext, version]).compare([secrecy, version, secrecy])
        #expect(comparison.new == [secrecy])
        #expect(comparison.known == [version])
        #expect(comparison.gone == [cleartext])
    }

    @Test(
        "a comment above an entry stays with it; other comments and blank lines are skipped, and CRLF is accepted")
    func comments() throws {
        let text = "# about the file\r\n\r\n# until June\n# ticket 12\n  b.example\tats.forward-secrecy \r\n\n# lost\n"
        let baseline = try Baseline(text: text, words: 2)
        #expect(baseline.entries == [secrecy])
        #expect(
            baseline.replaced(by: [secrecy, cleartext]).text(title: "t")
                == "# t\n\na.example ats.cleartext-load\n# until June\n# ticket 12\nb.example ats.forward-secrecy\n")
    }

    @Test(
        "a line that is not an entry is an error with its number",
        arguments: ["a.example", "a b c", "\"a b", "a\"b c", "\"a\"b c", "\"a\\"])
    func faults(line: String) {
        #expect(throws: BaselineFault(line: 2, text: line, words: 2)) {
            try Baseline(text: "# comment\n\(line)\n", words: 2)
        }
    }
}

import Testing
import Text

@Suite("lines fitted to a terminal")
struct FittedLinesTests {
    @Test("a long line continues below the text after its label")
    func label() {
        let line = "    fix    Renew the certificate now"
        #expect(line.fitted(to: 24) == "    fix    Renew the\n           certificate\n           now")
    }

    @Test("a label of several words keeps its column, whether its line is wrapped or not")
    func wideLabel() {
        #expect(
            "    look at  the URL is http: explain".fitted(to: 30)
                == "    look at  the URL is http:\n             explain")
        #expect("    ATS?     no".fitted(to: 24) == "    ATS?     no")
    }

    @Test("a line without a label continues at the hanging indentation")
    func hanging() {
        #expect("one two three".fitted(to: 10, hanging: 4) == "one two\n    three")
    }

    @Test(
        "commands, XML and rows of tables stay whole",
        arguments: ["atsgate probe a.test", "<key>a b</key>", "| a | b |"])
    func whole(line: String) {
        #expect(line.fitted(to: 6) == line)
    }

    @Test("without a width nothing changes")
    func unknownWidth() {
        #expect("one two three".fitted(to: nil) == "one two three")
    }
}

import Testing
import Text

/// Every field of every document for CI systems contains the same hostile text.
@Suite("Documents for CI systems")
struct CIFormatTests {
    /// ESC, BEL, BS, DEL and two C1 controls, line ends, and a character that reverses the order of text.
    private static let hostile = "a\u{1B}[2J\u{7}\u{8}\u{7F}\u{9B}31m\u{85}b\r\n::error::c\u{2028}\u{202E}d\t"

    @Test("a command of GitHub is one printable line")
    func gitHubCommandIsPrintable() {
        let command = GitHubCommand(.error, Self.hostile, title: Self.hostile, file: Self.hostile, line: 1, column: 2)
        expectPrintable(command.line)
        #expect(command.line.split(separator: "\n").count == 1)
    }

    @Test("a property of GitHub's command has its separators escaped, and so has its message")
    func gitHubSeparatorsAreEscaped() {
        let line = GitHubCommand(.notice, "50%, really: yes", title: "a,b:c%", file: "d:e,f%.plist").line
        #expect(line == "::notice file=d%3Ae%2Cf%25.plist,title=a%2Cb%3Ac%25::50%25, really: yes\n")
    }

    @Test("an issue of GitLab is printable")
    func gitLabIssueIsPrintable() {
        let issue = GitLabIssue(
            Self.hostile, Self.hostile, fingerprint: Self.hostile, severity: .major, path: Self.hostile, line: 1)
        expectPrintable(GitLabIssue.report([issue]))
    }

    @Test("a document of JUnit is printable")
    func jUnitDocumentIsPrintable() {
        let text = Self.hostile
        let outcomes: [JUnitDocument.Case.Outcome] = [
            .passed, .told(text), .skipped(text, text), .failure(type: text, message: text, body: text),
            .error(type: text, message: text, body: text),
        ]
        let cases = outcomes.map { JUnitDocument.Case(text, in: text, at: (path: text, line: 1), $0) }
        let suite = JUnitDocument.Suite(text, timestamp: text, properties: [(name: text, value: text)], cases)
        expectPrintable(JUnitDocument(text, [suite]).text)
    }

    @Test("a log of SARIF is printable")
    func sarifLogIsPrintable() {
        let text = Self.hostile
        let rule = SARIFDocument.Rule(
            id: text, title: text, help: text, helpAddress: text, level: .error, properties: [(key: text, value: text)])
        let places: [SARIFDocument.Location] = [.file(text, line: 1, column: 1), .address(text)]
        let results = places.map {
            SARIFDocument.Result(
                rule: text, level: .error, message: text, place: $0, logicalName: text,
                fingerprint: (name: text, value: text), baseline: .suppressed(text))
        }
        let log = SARIFDocument(toolVersion: text, rules: [rule], results: results, files: [text], trouble: text)
        expectPrintable(log.text)
    }

    @Test("JSON has no control character, and keeps it for readers")
    func jsonEscapesControls() {
        expectPrintable(JSONValue.string("a\u{1B}\u{80}\u{85}\u{9B}\u{9F}b").text, [])
        #expect(JSONValue.string("\u{9B}\u{A0}é").text == "\"\\u009b\u{A0}é\"")
    }

    private func expectPrintable(
        _ document: String, _ allowed: Set<Unicode.Scalar> = ["\n"], at location: SourceLocation = #_sourceLocation
    ) {
        let found = document.unicodeScalars.filter {
            !allowed.contains($0)
                && ($0.properties.generalCategory == .control || $0 == "\u{202E}" || $0 == "\u{2028}")
        }
        #expect(found.isEmpty, sourceLocation: location)
    }
}

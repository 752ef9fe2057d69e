import Testing
import Text

/// The documents that `lint`, `probe` and `report` share.
@Suite("Documents for CI systems")
struct CIFormatTests {
    /// ESC, BEL, BS, DEL and two C1 controls, line ends, and a character that reverses the order of text.
    private static let hostile = "a\u{1B}[2J\u{7}\u{8}\u{7F}\u{9B}31m\u{85}b\r\n::error::c\u{2028}\u{202E}d\t"

    @Test("every document is printable", arguments: CIFormat.allCases)
    func documentsArePrintable(format: CIFormat) {
        expectPrintable(Self.report(Self.hostile).text(as: format))
    }

    @Test("each command of GitHub is one line")
    func gitHubCommandsAreLines() {
        let text = Self.report(Self.hostile).text(as: .github)
        // The reason why nothing was judged, and all findings but the known one.
        #expect(text.split(separator: "\n").count == 1 + Self.effects(Self.hostile).count - 1)
        #expect(text.split(separator: "\n").allSatisfy { $0.hasPrefix("::error ") })
    }

    @Test("a property of GitHub's command has its separators escaped, and so has its message")
    func gitHubSeparatorsAreEscaped() {
        let finding = Self.finding(.remark, .note, title: "a,b:c%", message: "50%, really: yes", in: "d:e,f%.plist")
        let text = Self.report([CIReport.Test("", [finding])]).text(as: .github)
        #expect(text == "::notice file=d%3Ae%2Cf%25.plist,line=1,col=2,title=a%2Cb%3Ac%25::50%25, really: yes\n")
    }

    @Test("what fails the command comes first on GitHub, and GitLab gets no problem that does not count")
    func effectsDecide() {
        let findings = [
            Self.finding(.uncounted("no"), .warning, title: "uncounted"), Self.finding(.fails, title: "fails"),
            Self.finding(.known(file: "base.txt"), title: "known"), Self.finding(.remark, .note, title: "remark"),
        ]
        let report = Self.report([CIReport.Test("", findings)])
        #expect(report.gitHubCommands.map { $0.prefix(7) } == ["::error", "::warni", "::notic"])
        let issues = report.text(as: .gitlab)
        #expect(issues.contains("\"fails\"") && issues.contains("\"remark\""))
        #expect(!issues.contains("uncounted") && !issues.contains("known"))
    }

    @Test(
        "the worst finding decides the case of JUnit",
        arguments: [
            ([CIFinding.Effect.remark], "<system-out>"), ([.remark, .uncounted("why")], "<skipped message=\"why\""),
            ([.uncounted("why"), .known(file: "base.txt")], "<skipped message=\"known: base.txt\""),
            ([.known(file: "base.txt"), .unchecked], "<error type=\"rule\""),
            ([.unchecked, .fails], "<failure type=\"rule\" message=\"title\""),
            ([.fails, .fails], "message=\"title; and 1 more problem\""),
        ])
    func worstDecides(effects: [CIFinding.Effect], element: String) {
        let findings = effects.map { Self.finding($0, title: "title", details: "details") }
        let text = Self.report([CIReport.Test("case", findings)]).text(as: .junit)
        #expect(text.contains(element), "\(text)")
    }

    private static func effects(_ text: String) -> [CIFinding.Effect] {
        [.fails, .known(file: text), .uncounted(text), .remark, .unchecked]
    }

    private static func finding(
        _ effect: CIFinding.Effect, _ level: CIFinding.Level = .error, rule: String = "rule", title: String,
        message: String? = nil, details: String = "", in file: String = "file"
    ) -> CIFinding {
        CIFinding(
            CIFinding.Rule(
                id: rule, title: title, help: title, helpAddress: title, level: level,
                properties: [(key: title, value: title)]), level, effect,
            CIFinding.Words(title: title, message: message ?? title, details: details),
            identity: CIFinding.Identity(of: title, method: title, fingerprint: title),
            at: .file(file, line: 1, column: 2), isInBaseline: true)
    }

    private static func report(_ tests: [CIReport.Test]) -> CIReport {
        CIReport("tests", toolVersion: "1", [CIReport.Suite("suite", tests)])
    }

    /// The same text in every place.
    private static func report(_ text: String) -> CIReport {
        let tests = effects(text).map { effect in
            CIReport.Test(
                text, at: (path: text, line: 1), milliseconds: 1,
                [finding(effect, rule: text, title: text, details: text, in: text)], skipped: text)
        }
        let suite = CIReport.Suite(
            text, className: text, timestamp: text, properties: [(name: text, value: text)], tests)
        return CIReport(text, toolVersion: text, [suite], files: [text], nothing: text)
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

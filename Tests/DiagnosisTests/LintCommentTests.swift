import Declarations
import Diagnosis
import Foundation
import Testing
import Text

@Suite("lint comments and baselines")
struct LintCommentTests {
    private func findings(_ members: String) throws -> [String] {
        let text = "<plist><dict><key>NSAppTransportSecurity</key><dict>\n\(members)\n</dict></dict></plist>"
        let declaration = try DeclarationReader.parse(Array(text.utf8), source: "Info.plist")
        return Linter().lint(declaration).located(in: text).findings.map { "\($0.line ?? 0) \($0.rule.dropFirst(5))" }
    }

    private let wrong = "<key>NSAllowArbitraryLoads</key><true/>"

    @Test("a disable comment covers its own and the next line, and needs a reason")
    func reach() throws {
        let comment = "<!-- atsgate:disable lint.unknown-key ours -->"
        #expect(try findings("\(wrong)") == ["2 unknown-key"])
        #expect(try findings("\(wrong) \(comment)") == [])
        #expect(try findings("\(comment)\n\(wrong)") == [])
        #expect(try findings("\(comment)\n<!-- atsgate:disable idle-entry x -->\n\(wrong)") == ["3 disable-comment"])
        #expect(try findings("\(comment)\n<key>a</key><true/>\n\(wrong)") == ["4 unknown-key"])
        #expect(
            try findings("<!-- atsgate:disable unknown-key -->\n\(wrong)") == ["2 disable-comment", "3 unknown-key"])
        #expect(try findings("<!-- atsgate:disable-file unknown-key ours -->\n\n\n\(wrong)") == [])
    }

    @Test(
        "a disable comment without effect is a finding",
        arguments: ["atsgate:disable", "atsgate:disable no-such-rule x", "atsgate:disable-file idle-entry x"])
    func idle(comment: String) throws {
        #expect(try findings("<!-- \(comment) -->") == ["2 disable-comment"])
        #expect(try findings("<!-- atsgate is a gate -->") == [])
    }

    @Test("known findings are only counted, new ones stay, and gone ones are listed")
    func baseline() throws {
        let json = #"{"NSAllowArbitraryLoads": true, "NSAllowsLocalNetworking": false}"#
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "a b/Info.plist")
        let report = LintReport(files: [Linter().lint(declaration)])
        let text = """
            "a b/Info.plist" lint.unknown-key NSAppTransportSecurity.NSAllowArbitraryLoads
            "a b/Info.plist" lint.idle-entry NSAppTransportSecurity.NSExceptionDomains.a.com

            """
        let known = try Baseline(text: text, words: LintReport.baselineWords)
        let (rest, comparison) = report.without(known: known)
        #expect(rest.files[0].findings.map(\.rule) == ["lint.false-sibling"] && !rest.isFailed)
        #expect(rest.summary == "0 errors, 1 warning, 0 notes, 1 known in 1 file")
        #expect(comparison.gone.count == 1)
        #expect(report.without(known: Baseline(report.baselineEntries)).report.files[0].findings.isEmpty)
        #expect(report.strict.count(.error) == 2)
    }
}

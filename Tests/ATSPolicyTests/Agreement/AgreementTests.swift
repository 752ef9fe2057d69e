import ATSPolicy
import Foundation
import Testing

/// Public evidence of real devices against the law: `make agreement` writes what comes of it.
@Suite struct AgreementTests {
    private static let cases = ReportedCase.Kind.allCases.flatMap { (try? ReportedCase.all(of: $0)) ?? [] }

    @Test("every difference is explained, and nothing else is", arguments: cases.map(\.id))
    func explained(id: String) throws {
        let reported = try #require(Self.cases.first { $0.id == id })
        let answer = try ReportedAnswer(reported)
        #expect((reported.why == nil) == (answer == .agree || answer == .unknown), "\(answer.rawValue)")
        #expect(!reported.source.isEmpty && !reported.words.isEmpty)
    }

    @Test("there are cases of each kind, each once")
    func whole() throws {
        for kind in ReportedCase.Kind.allCases { #expect(try ReportedCase.all(of: kind).count >= 20) }
        #expect(Set(Self.cases.map(\.id)).count == Self.cases.count)
    }

    @Test("the page and README's first line tell what comes of them (make agreement)")
    func told() throws {
        let page = try AgreementPage()
        let folder = ReportedCase.Repository.folder
        let document = folder.appending(path: "docs/agreement.md")
        let readme = folder.appending(path: "README.md")
        var lines = try String(contentsOf: readme, encoding: .utf8).components(separatedBy: "\n")
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
            try page.text.write(to: document, atomically: true, encoding: .utf8)
            lines[2] = page.line
            try lines.joined(separator: "\n").write(to: readme, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: document, encoding: .utf8) == page.text, "make agreement")
        #expect(lines[2] == page.line, "make agreement")
    }
}

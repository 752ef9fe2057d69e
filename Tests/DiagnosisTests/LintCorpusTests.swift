import Declarations
import Diagnosis
import Foundation
import Testing

/// Small files with one kind of mistake each. A comment after a key names the rule that must find it on that line.
enum Corpus {
    static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let names: [String] = {
        let folder = top.appending(path: "Tests/LintCorpus").path
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return all.filter { $0.hasSuffix(".plist") }.sorted()
    }()

    static func path(_ name: String) -> String { top.appending(path: "Tests/LintCorpus/" + name).path }

    /// `LINE RULE` for each comment.
    static func expected(in text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            line.firstMatch(of: /<!-- (lint\.[a-z-]+) -->/).map { "\(index + 1) \($0.1)" }
        }
    }
}

@Suite("lint corpus")
struct LintCorpusTests {
    @Test("every mistake is found on its line, and nothing else is found", arguments: Corpus.names)
    func file(name: String) throws {
        let text = try String(contentsOfFile: Corpus.path(name), encoding: .utf8)
        let systems = text.firstMatch(of: /<!-- systems: (\S+) -->/).flatMap { SystemRange(String($0.1)) }
        let declaration = try DeclarationReader.readOne(path: Corpus.path(name))
        let findings = Linter(systems: systems).lint(declaration).located(in: text).findings
        let expected = Corpus.expected(in: text)
        // Notes that the file is not about are allowed.
        let found = findings.filter { finding in
            finding.severity > .note || expected.contains { $0.hasSuffix(" " + finding.rule) }
        }
        #expect(found.map { "\($0.line ?? 0) \($0.rule)" }.sorted() == expected.sorted())
        for finding in found {
            let line = text.split(separator: "\n", omittingEmptySubsequences: false)[(finding.line ?? 1) - 1]
            #expect(line.dropFirst(finding.column - 1).hasPrefix("<key>"))
        }
    }

    @Test("the corpus has at least twenty kinds of mistakes")
    func size() throws {
        let texts = try Corpus.names.map { try String(contentsOfFile: Corpus.path($0), encoding: .utf8) }
        let kinds = Set(texts.flatMap(Corpus.expected).compactMap { $0.split(separator: " ").last })
        #expect(kinds.count >= 20)
    }
}

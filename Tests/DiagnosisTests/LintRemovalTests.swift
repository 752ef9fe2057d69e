import ATSPolicy
import Declarations
import Diagnosis
import Dictionaries
import Foundation
import Testing

/// Advice of lint neither loosens nor breaks an app.
@Suite("deletions that lint proposes")
struct LintRemovalTests {
    /// The rulings that a proposed deletion changes, as text.
    private func changes(by linter: Linter, in declaration: Declaration, on systems: SystemRange) -> [String] {
        linter.lint(declaration).findings.flatMap { finding -> [String] in
            guard let removal = finding.removal else { return [] }
            let rest = removal.applied(to: declaration)
            let hosts = RulingTable.hosts(of: declaration)
            return systems.releases.flatMap { system -> [String] in
                guard system.release.generation >= removal.oldest?.release.generation ?? system.release.generation
                else { return [] }
                let now = RulingTable(declaration, on: system, hosts: hosts)
                return now.differences(to: RulingTable(rest, on: system, hosts: hosts))
                    .map { "\(finding.rule) \(finding.keyPath) \(system.name): \($0)" }
            }
        }
    }

    /// Files of the repository, and of a folder that `LINT_FILES` names.
    private static let paths: [String] = {
        let more = ProcessInfo.processInfo.environment["LINT_FILES"].map { folder in
            DeclarationSearch().paths(in: folder)
        }
        return Corpus.names.map(Corpus.path) + (more ?? [])
    }()

    private static let ranges = ["ios9..", "ios10..", "ios15..", "ios17", "ios17..ios18.4", "ios18.4..", "macos13.."]

    @Test("no ruling on any release changes by a proposed deletion, in files", arguments: paths)
    func file(path: String) throws {
        guard let all = try? DeclarationReader.read(path: path) else { return }
        for declaration in all.map(\.declaration) {
            for range in Self.ranges.compactMap({ SystemRange($0) }) + [SystemRange(of: declaration)] {
                #expect(changes(by: Linter(systems: range), in: declaration, on: range) == [])
            }
        }
    }

    @Test("no ruling on any release changes by a proposed deletion, in random dictionaries", arguments: ranges)
    func random(range: String) throws {
        let systems = try #require(SystemRange(range))
        let seed = UInt64.random(in: 0...UInt64.max)
        var dictionaries = RandomDictionary(seed: seed)
        var proposed = 0
        for _ in 0..<400 {
            let declaration = dictionaries.next()
            let linter = Linter(systems: systems)
            proposed += linter.lint(declaration).findings.count { $0.removal != nil }
            let changes = changes(by: linter, in: declaration, on: systems)
            guard changes.isEmpty else {
                Issue.record("seed \(seed): \(changes.prefix(3)) in \(PropertyListText.document(declaration.members))")
                return
            }
        }
        #expect(proposed > 0)
    }

    @Test("every sentence that proposes a deletion is covered by these tests", arguments: LintBook.rules.map(\.id))
    func declared(id: String) throws {
        let rule = try #require(LintBook.rules.first { $0.id == id })
        let systems = rule.example.systems.flatMap { SystemRange($0) }
        let declaration = try DeclarationReader.parse(Array(rule.example.found.utf8), source: "a.json")
        let app = try rule.example.app.map { try DeclarationReader.parse(Array($0.utf8), source: "app.json") }
        let findings = Linter(systems: systems).lint(declaration, within: app).findings
        let finding = try #require(findings.first { $0.rule == id })
        #expect(!finding.sentence.contains("delete") || finding.removal != nil)
    }
}

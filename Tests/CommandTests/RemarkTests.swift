import Foundation
import Testing

@Suite("remarks on a dictionary", .timeLimit(.minutes(10)))
struct RemarkTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// Files with one kind of mistake each, and dictionaries without mistakes.
    static let names: [String] = ["Tests/LintCorpus", "config/dictionaries"].flatMap { place in
        let all = (try? FileManager.default.contentsOfDirectory(atPath: Repository.file(place).path)) ?? []
        return all.filter { $0.hasSuffix(".plist") }.sorted().map { "\(place)/\($0)" }
    }

    @Test("explain prints the same errors and warnings as lint", arguments: names)
    func same(name: String) throws {
        let path = Repository.file(name).path
        let lint = try Binary.run(["lint", "--fail-on", "none", path], in: folder)
        let found = lint.output.split(separator: "\n").compactMap { line -> String? in
            let finding = line.firstMatch(of: /^(.*?\.plist)(?::(\d+):\d+)?: (error|warning): (.*)$/)
            return finding.map { finding in
                "\(finding.3): \(finding.1): " + (finding.2.map { "line \($0): " } ?? "") + finding.4
            }
        }
        let explained = try Binary.run(["explain", "--policy", path, "--os", "ios26", "https://a.test/"], in: folder)
        let remarks = explained.prose.split(separator: "\n").map(String.init).filter { $0.contains(" [lint.") }
        #expect(remarks == found)
    }
}

import Foundation
import Testing

@Suite("The version", .timeLimit(.minutes(5)))
struct VersionTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("--version prints only the version, in every command")
    func short() throws {
        let version = try Binary.run(["--version"], in: folder)
        #expect(version.status == 0 && version.prose.isEmpty)
        #expect(version.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
        #expect(try Binary.run(["report", "--version"], in: folder).output == version.output)
    }

    @Test(
        "--version --verbose lists the program's components",
        arguments: [["--version", "--verbose"], ["-v", "--version"]])
    func verbose(arguments: [String]) throws {
        let outcome = try Binary.run(arguments, in: folder)
        #expect(outcome.status == 0 && outcome.prose.isEmpty)
        let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
        let names = ["atsgate", "commit", "compiler", "OpenSSL", "nghttp2", "SQLite", "libzip", "system"]
        #expect(lines.map { String($0[0]) } == names)
        for line in lines { #expect(line.count == 2 && !line[1].trimmingCharacters(in: .whitespaces).isEmpty) }
        let openSSL = try #require(lines.first { $0[0] == "OpenSSL" })
        #expect(openSSL[1].trimmingCharacters(in: .whitespaces).hasPrefix("3."))
    }

    @Test("the change log has a section for the version")
    func changes() throws {
        let version = try Binary.run(["--version"], in: folder).output.trimmingCharacters(in: .newlines)
        let changes = try String(contentsOf: Repository.file("CHANGELOG.md"), encoding: .utf8)
        #expect(changes.contains("\n## \(version)\n"))
    }
}

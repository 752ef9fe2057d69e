#if os(Linux)
import Foundation
import Testing

/// libzip and libpq are loaded when they are needed. On Linux libzip's file has two possible names.
@Suite("libzip and libpq") struct LibraryTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// Makes the loader find a file first that is not a library, under each name (ld.so(8), LD_LIBRARY_PATH).
    private func withoutLibrary(_ arguments: [String]) throws -> Binary.Outcome {
        for name in ["libzip.so.5", "libzip.so.4", "libpq.so.5"] { try folder.write("no library", to: name) }
        return try Binary.run(arguments, in: folder, environment: ["LD_LIBRARY_PATH": folder.url.path])
    }

    @Test("without libzip an archive is refused, with the package to install")
    func missing() throws {
        let archive = try folder.write("PK", to: "App.ipa")
        let outcome = try withoutLibrary(["lint", archive])
        #expect(outcome.status == 65)
        let said = outcome.output + outcome.prose
        #expect(said.contains("App.ipa"))
        #expect(said.contains("libzip is missing, which reads archives: install libzip5 or libzip4"))
    }

    @Test(
        "without libpq a shared store is unavailable, and its address is not repeated",
        arguments: [
            ["proxy", "--store"], ["report", "--store"], ["recordings", "--store"], ["doctor", "--store"],
            ["policy", "list", "--store"], ["recordings", "import", "spool.sqlite", "--store"],
        ])
    func missingClient(command: [String]) throws {
        let outcome = try withoutLibrary(command + ["postgres://ci:geheim@db.test/ats"])
        #expect(outcome.status == 69)
        #expect(outcome.prose.contains("a shared store needs libpq"), "\(outcome.prose)")
        #expect(!outcome.prose.contains("geheim") && !outcome.output.contains("geheim"))
        // The harness keeps the command's input and output here, too.
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .filter { name in ![".err", ".in", ".out"].contains { name.hasSuffix($0) } }
        #expect(files.sorted() == ["libpq.so.5", "libzip.so.4", "libzip.so.5"])
    }

    @Test("without libzip, commands that need no archive work")
    func othersGoOn() throws {
        let policy = try folder.write(#"{"NSAllowsArbitraryLoads": true}"#, to: "policy.json")
        #expect(try withoutLibrary(["explain", "--policy", policy, "http://example.com/"]).status == 0)
        let version = try withoutLibrary(["--version", "--verbose"])
        #expect(version.status == 0)
        #expect(version.output.contains(#/libzip +missing/#))
    }
}
#endif

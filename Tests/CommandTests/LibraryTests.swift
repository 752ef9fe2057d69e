#if os(Linux)
import Foundation
import Testing

/// libzip is looked for when it is needed: on Linux, where its file has two names.
@Suite("libzip") struct LibraryTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// What the loader finds first is no library, by either name (ld.so(8), LD_LIBRARY_PATH).
    private func withoutLibrary(_ arguments: [String]) throws -> Binary.Outcome {
        for name in ["libzip.so.5", "libzip.so.4"] { try folder.write("no library", to: name) }
        return try Binary.run(arguments, in: folder, environment: ["LD_LIBRARY_PATH": folder.url.path])
    }

    @Test("where it is missing an archive is refused, with what to install")
    func missing() throws {
        let archive = try folder.write("PK", to: "App.ipa")
        let outcome = try withoutLibrary(["lint", archive])
        #expect(outcome.status == 65)
        let said = outcome.output + outcome.prose
        #expect(said.contains("App.ipa"))
        #expect(said.contains("libzip, which is missing: install libzip5 or libzip4"))
    }

    @Test("what needs no archive goes on")
    func othersGoOn() throws {
        let policy = try folder.write(#"{"NSAllowsArbitraryLoads": true}"#, to: "policy.json")
        #expect(try withoutLibrary(["explain", "--policy", policy, "http://example.com/"]).status == 0)
        let version = try withoutLibrary(["--version", "--verbose"])
        #expect(version.status == 0)
        #expect(version.output.contains(#/libzip +missing/#))
    }
}
#endif

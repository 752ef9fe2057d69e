#if os(Linux)
import Foundation
import Testing

/// libzip is loaded when it is needed. On Linux its file has two possible names.
@Suite("libzip") struct LibraryTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// Makes the loader find a file first that is not a library, under either name (ld.so(8), LD_LIBRARY_PATH).
    private func withoutLibrary(_ arguments: [String]) throws -> Binary.Outcome {
        for name in ["libzip.so.5", "libzip.so.4"] { try folder.write("no library", to: name) }
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

import Foundation
import Testing

/// A recording of blocked loads, judged again by the built command.
@Suite("replay and suggest", .timeLimit(.minutes(10)))
struct ReplayTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
        try folder.write(
            #"{"NSExceptionDomains":{"a.test":{"NSExceptionAllowsInsecureHTTPLoads":true}}}"#, to: "next.json")
        try folder.write("{}", to: "strict.json")
    }

    /// Records two loads of hosts that do not exist, under the given `--policy`.
    private func record(_ options: [String], in store: String) throws -> Binary.Outcome {
        let script = "curl -s http://a.test/ http://b.test/ -o /dev/null -o /dev/null || true"
        return try Binary.run(
            ["run", "--os", "ios26", "--store", store, "--exit-zero", "--connect-to", "a.test:80:127.0.0.1:1"]
                + options + ["--", "sh", "-c", script], in: folder)
    }

    @Test(
        "a blocked load that the new dictionary allows is newly allowed; the reverse ends with 1",
        arguments: StoreKind.allCases)
    func bothWays(kind: StoreKind) throws {
        let store = try kind.word()
        _ = try record(["--recording", "one"], in: store)
        let replay = ["replay", "--store", store, "--policy"]
        let json = try Binary.run(replay + ["next.json", "--json"], in: folder)
        #expect(json.status == 0)
        #expect(
            json.output == """
                {"recording":"one","policy":"next.json","os":"ios26","newlyBlocked":[],"newlyAllowed":\
                [{"url":"http://a.test/","host":"a.test","rule":"ats.cleartext-load","loads":1}],"undecidable":[],\
                "same":1,"outside":0}

                """)
        _ = try record(["--recording", "two", "--policy", "next.json"], in: store)
        let strict = try Binary.run(replay + ["strict.json", "--os", "ios26", "ios17"], in: folder)
        #expect(strict.status == 1)
        #expect(
            strict.output.contains("strict.json on iOS 26: newly blocked 1, newly allowed 0, unknown 0, same 1"))
        #expect(strict.output.contains("strict.json on iOS 17: newly blocked 1,"))
        #expect(try Binary.run(replay + ["strict.json", "--recording", "one"], in: folder).status == 0)
        #expect(try Binary.run(replay + ["strict.json", "--recording", "three"], in: folder).status == 65)
        #expect(try Binary.run(replay + ["strict.json", "--os", "ios99x"], in: folder).status == 64)
    }

    @Test(
        "without --policy the recorded dictionary applies; without --policy and --os replay is a usage error",
        arguments: StoreKind.allCases)
    func recordedDictionary(kind: StoreKind) throws {
        let store = try kind.word()
        _ = try record(["--recording", "loose", "--policy", "next.json"], in: store)
        let replay = ["replay", "--store", store]
        let older = try Binary.run(replay + ["--os", "ios17"], in: folder)
        #expect(older.status == 0, "next.json allows a.test there, too")
        #expect(older.prose.contains("the recorded dictionary is next.json, read from \(folder.path("next.json"))"))
        #expect(
            older.output.hasPrefix("next.json on iOS 17: newly blocked 0, newly allowed 0, unknown 0, same 2\n"))
        let nothing = try Binary.run(replay, in: folder)
        #expect(nothing.status == 64 && nothing.prose.contains("--policy") && nothing.prose.contains("--os"))
        try FileManager.default.removeItem(atPath: folder.path("next.json"))
        let gone = try Binary.run(replay + ["--os", "ios17"], in: folder)
        #expect(gone.status == 65 && gone.prose.contains(", next.json, does not exist here"))
        try folder.write("{}", to: "next.json")
        _ = try record(["--recording", "loose", "--policy", "strict.json"], in: store)
        let several = try Binary.run(replay + ["--os", "ios17"], in: folder)
        #expect(several.status == 65 && several.prose.contains("(next.json, strict.json)"))
    }

    @Test(
        "the suggested dictionary is data on standard output, and allows the blocked loads",
        arguments: StoreKind.allCases)
    func suggestion(kind: StoreKind) throws {
        let store = try kind.word()
        _ = try record(["--recording", "one"], in: store)
        let suggestion = try Binary.run(["suggest", "--store", store, "--policy", "next.json"], in: folder)
        #expect(suggestion.status == 0)
        #expect(suggestion.prose.contains("allows 2 of 2 loads"))
        try folder.write(suggestion.output, to: "suggested.plist")
        let replay = try Binary.run(
            ["replay", "--store", store, "--policy", "suggested.plist"], in: folder)
        #expect(replay.output.contains("newly allowed 2,"))
        let diff = try Binary.run(
            ["suggest", "--store", store, "--policy", "next.json", "--format", "diff"], in: folder)
        #expect(diff.output.contains("+\t\t\t<key>b.test</key>"))
        #expect(!diff.output.contains("-\t\t\t<key>a.test</key>"))
        let comment = try Binary.run(
            ["suggest", "--store", store, "--policy", "next.json", "--format", "markdown"], in: folder)
        #expect(comment.output.hasPrefix("### atsgate suggest: "))
        #expect(comment.output.contains("+      <key>b.test</key>") && !comment.prose.contains("NEEDED"))
    }

    @Test("a store without loads ends with its own exit code", arguments: StoreKind.allCases)
    func nothing(kind: StoreKind) throws {
        let store = try kind.word()
        _ = try Binary.run(["run", "--store", store, "--", "true"], in: folder)
        #expect(try Binary.run(["replay", "--store", store, "--os", "ios17"], in: folder).status == 3)
        #expect(try Binary.run(["suggest", "--store", store], in: folder).status == 3)
    }
}

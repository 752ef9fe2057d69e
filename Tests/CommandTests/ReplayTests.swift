import Foundation
import Testing

/// A recording of refused loads, judged again by the built command.
@Suite("replay and suggest", .timeLimit(.minutes(10)))
struct ReplayTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
        try folder.write(
            #"{"NSExceptionDomains":{"a.test":{"NSExceptionAllowsInsecureHTTPLoads":true}}}"#, to: "next.json")
        try folder.write("{}", to: "strict.json")
    }

    /// Two loads of hosts that are not there, as `--policy` has it.
    private func record(_ options: [String]) throws -> Binary.Outcome {
        let script = "curl -s http://a.test/ http://b.test/ -o /dev/null -o /dev/null || true"
        return try Binary.run(
            ["run", "--os", "ios26", "--store", "s.sqlite", "--exit-zero", "--connect-to", "a.test:80:127.0.0.1:1"]
                + options + ["--", "sh", "-c", script], in: folder)
    }

    @Test("what was blocked and may leave now is newly allowed; the other way round it ends with 1")
    func bothWays() throws {
        _ = try record(["--recording", "one"])
        let replay = ["replay", "--store", "s.sqlite", "--policy"]
        let json = try Binary.run(replay + ["next.json", "--json"], in: folder)
        #expect(json.status == 0)
        #expect(
            json.output == """
                {"recording":"one","policy":"next.json","os":"ios26","newlyBlocked":[],"newlyAllowed":\
                [{"url":"http://a.test/","host":"a.test","rule":"ats.cleartext-load","loads":1}],"undecidable":[],\
                "same":1,"outside":0}

                """)
        _ = try record(["--recording", "two", "--policy", "next.json"])
        let strict = try Binary.run(replay + ["strict.json", "--os", "ios26", "ios17"], in: folder)
        #expect(strict.status == 1)
        #expect(
            strict.output.contains("strict.json on iOS 26: newly blocked 1, newly allowed 0, undecidable 0, same 1"))
        #expect(strict.output.contains("strict.json on iOS 17: newly blocked 1,"))
        #expect(try Binary.run(replay + ["strict.json", "--recording", "one"], in: folder).status == 0)
        #expect(try Binary.run(replay + ["strict.json", "--recording", "three"], in: folder).status == 65)
        #expect(try Binary.run(replay + ["strict.json", "--os", "ios99x"], in: folder).status == 64)
    }

    @Test("without --policy the recorded dictionary judges; with neither --policy nor --os there is nothing to ask")
    func recordedDictionary() throws {
        _ = try record(["--recording", "loose", "--policy", "next.json"])
        let replay = ["replay", "--store", "s.sqlite"]
        let older = try Binary.run(replay + ["--os", "ios17"], in: folder)
        #expect(older.status == 0, "a.test is freed by next.json there, too")
        #expect(
            older.output.hasPrefix("next.json on iOS 17: newly blocked 0, newly allowed 0, undecidable 0, same 2\n"))
        let nothing = try Binary.run(replay, in: folder)
        #expect(nothing.status == 64 && nothing.prose.contains("--policy") && nothing.prose.contains("--os"))
        try FileManager.default.removeItem(atPath: folder.path("next.json"))
        let gone = try Binary.run(replay + ["--os", "ios17"], in: folder)
        #expect(gone.status == 65 && gone.prose.contains("the dictionary was next.json, which is not there any more"))
        try folder.write("{}", to: "next.json")
        _ = try record(["--recording", "loose", "--policy", "strict.json"])
        let several = try Binary.run(replay + ["--os", "ios17"], in: folder)
        #expect(several.status == 65 && several.prose.contains("(next.json, strict.json)"))
    }

    @Test("the suggested dictionary is data on standard output, and passes what was refused")
    func suggestion() throws {
        _ = try record(["--recording", "one"])
        let suggestion = try Binary.run(["suggest", "--store", "s.sqlite", "--policy", "next.json"], in: folder)
        #expect(suggestion.status == 0)
        #expect(suggestion.prose.contains("2 of 2 loads pass"))
        try folder.write(suggestion.output, to: "suggested.plist")
        let replay = try Binary.run(
            ["replay", "--store", "s.sqlite", "--policy", "suggested.plist"], in: folder)
        #expect(replay.output.contains("newly allowed 2,"))
        let diff = try Binary.run(
            ["suggest", "--store", "s.sqlite", "--policy", "next.json", "--format", "diff"], in: folder)
        #expect(diff.output.contains("+\t\t\t<key>b.test</key>"))
        #expect(!diff.output.contains("-\t\t\t<key>a.test</key>"))
    }

    @Test("a candidate that differs is told at the end, with the command that shows how")
    func candidate() throws {
        let outcome = try record(["--recording", "one", "--candidate", "next.json", "--candidate", "strict.json"])
        #expect(
            outcome.prose.contains(
                "atsgate: candidate next.json: newly blocked 0, newly allowed 1, undecidable 0, same 1\n"
                    + "atsgate:   atsgate replay --store s.sqlite --recording one --policy next.json\n"))
        #expect(!outcome.prose.contains("candidate strict.json"))
        #expect(try record(["--candidate", "missing.json"]).status == 65)
        #expect(try record(["--candidate", "-"]).status == 64)
    }

    @Test("a store without loads is told by a code of its own")
    func nothing() throws {
        _ = try Binary.run(["run", "--store", "s.sqlite", "--", "true"], in: folder)
        #expect(try Binary.run(["replay", "--store", "s.sqlite", "--os", "ios17"], in: folder).status == 3)
        #expect(try Binary.run(["suggest", "--store", "s.sqlite"], in: folder).status == 3)
    }
}

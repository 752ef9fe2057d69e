import Foundation
import Testing

/// Known findings pass, new ones fail, and those no longer found are reported.
@Suite("Baselines and comparisons", .timeLimit(.minutes(10)))
struct BaselineTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func run(
        _ hosts: [String], _ options: [String], in store: String = "s.sqlite"
    ) throws -> Binary.Outcome {
        let script = "curl -s " + hosts.map { "http://\($0)/ -o /dev/null" }.joined(separator: " ") + " || true"
        return try Binary.run(
            ["run", "--store", store] + options + ["--", "sh", "-c", script], in: folder)
    }

    @Test("run writes a baseline, passes with it, fails on a new host, and keeps comments")
    func run() throws {
        #expect(try run(["a.test", "b.test"], []).status == 1)
        #expect(try run(["a.test", "b.test"], ["--write-baseline", "known.txt"]).status == 0)
        let written = folder.read("known.txt")
        #expect(written.hasSuffix("\n\na.test ats.cleartext-load\nb.test ats.cleartext-load\n"))
        #expect(try run(["a.test", "b.test"], ["--baseline", "known.txt"]).status == 0)
        let new = try run(["a.test", "c.test"], ["--baseline", "known.txt"])
        #expect(new.status == 1)
        #expect(
            new.prose.contains(
                """
                atsgate: baseline known.txt: 1 new, 1 known (1 load), 0 gone, 1 not loaded
                atsgate:   new   c.test ats.cleartext-load (1)
                atsgate:   kept  b.test ats.cleartext-load: not loaded in this run

                """))
        try folder.write(
            #"{"NSExceptionDomains": {"b.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#, to: "b.json")
        let fixed = try run(["a.test", "b.test"], ["--baseline", "known.txt", "--policy", "b.json"])
        #expect(fixed.prose.contains("\natsgate:   gone  b.test ats.cleartext-load: remove it\n"), "\(fixed.prose)")
        try folder.write(written.replacing("a.test ", with: "# until June\na.test "), to: "known.txt")
        #expect(try run(["a.test"], ["--write-baseline", "known.txt"]).status == 0)
        let kept = folder.read("known.txt")
        #expect(kept.hasSuffix("\n\n# until June\na.test ats.cleartext-load\n"))
        let nothing = try Binary.run(["run", "--write-baseline", "known.txt", "--", "true"], in: folder)
        #expect(nothing.status == 3)
        #expect(nothing.prose.contains("known.txt is not written: no load came through the gate"))
        #expect(folder.read("known.txt") == kept)
    }

    @Test("a broken or missing baseline ends run with 65 before the command starts")
    func badFile() throws {
        try folder.write("a.test\n", to: "bad.txt")
        let bad = try Binary.run(["run", "--baseline", "bad.txt", "--", "touch", "ran"], in: folder)
        #expect(bad.status == 65)
        #expect(bad.prose.contains("bad.txt: line 1 is not an entry of 2 words: a.test"))
        #expect(try Binary.run(["run", "--baseline", "none.txt", "--", "touch", "ran"], in: folder).status == 65)
        #expect(!FileManager.default.fileExists(atPath: folder.path("ran")))
    }

    @Test("a host is known in any spelling of its name; an invalid host is refused with its line")
    func spellings() throws {
        try folder.write(
            """
            B\u{DC}CHER.test. ats.cleartext-load
            A.Test ats.cleartext-load
            [2001:DB8:0:0::1] ats.cleartext-load

            """, to: "known.txt")
        let hosts = ["xn--bcher-kva.test", "a.test.", "[2001:db8::0:1]"]
        let outcome = try run(hosts, ["--baseline", "known.txt"])
        #expect(outcome.status == 0, "\(outcome.prose)")
        #expect(outcome.prose.contains("known.txt: 0 new, 3 known (3 loads), 0 gone"))
        #expect(try run(hosts, ["--write-baseline", "written.txt"]).status == 0)
        #expect(
            folder.read("written.txt").hasSuffix(
                """

                2001:db8::1 ats.cleartext-load
                a.test ats.cleartext-load
                xn--bcher-kva.test ats.cleartext-load

                """))
        for (host, why) in [
            ("http://a.test/", "write its host alone, a.test"), ("a.test:80", "write the host alone, a.test"),
            ("*.test", "write each host in full"), ("a..test", "the host has an empty label"),
        ] {
            try folder.write("# known\n\(host) ats.cleartext-load\n", to: "bad.txt")
            let bad = try run(hosts, ["--baseline", "bad.txt"])
            #expect(
                bad.status == 65 && bad.prose.contains("bad.txt: line 2: ") && bad.prose.contains(why), "\(bad.prose)")
        }
    }

    @Test("report passes and fails by a baseline, and compares two recordings", arguments: StoreKind.allCases)
    func report(kind: StoreKind) throws {
        let store = try kind.word()
        _ = try run(["a.test"], ["--recording", "one"], in: store)
        _ = try run(["a.test", "b.test"], ["--recording", "two"], in: store)
        let report = ["report", "--store", store]
        let write = ["--recording", "one", "--write-baseline", "known.txt"]
        #expect(try Binary.run(report + write, in: folder).status == 0)
        #expect(try Binary.run(report + ["--recording", "one", "--baseline", "known.txt"], in: folder).status == 0)
        #expect(try Binary.run(report + ["--baseline", "known.txt"], in: folder).status == 1)
        let diff = try Binary.run(report + ["--diff", "one", "two"], in: folder)
        #expect(diff.status == 1)
        #expect(diff.output.contains("b.test: blocked by ats.cleartext-load (1); not loaded before"))
        #expect(try Binary.run(report + ["--diff", "two", "one"], in: folder).status == 0)
        #expect(try Binary.run(report + ["--diff", "one", "none"], in: folder).status == 65)
        #expect(try Binary.run(report + ["--diff", "one"], in: folder).status == 64)
    }
}

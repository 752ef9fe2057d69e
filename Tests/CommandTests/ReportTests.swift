import Foundation
import Testing

/// The recording and the loads that `report` selects.
@Suite("report", .timeLimit(.minutes(10)))
struct ReportTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func record(
        _ name: String, _ hosts: [String], _ options: [String] = [], in store: String
    ) throws {
        let script = "curl -s " + hosts.map { "http://\($0)/ -o /dev/null" }.joined(separator: " ") + " || true"
        _ = try Binary.run(
            ["run", "-q", "--store", store, "--recording", name] + options + ["--", "sh", "-c", script],
            in: folder)
    }

    private func report(_ options: [String], of store: String) throws -> Binary.Outcome {
        try Binary.run(["report", "--store", store] + options, in: folder)
    }

    @Test(
        "the newest recording is reported, unless another one or all are named; one line names it",
        arguments: StoreKind.allCases)
    func which(kind: StoreKind) throws {
        let store = try kind.word()
        try record("one", ["a.test"], in: store)
        try record("two", ["b.test"], in: store)
        let newest = try report([], of: store)
        #expect(newest.output.contains("b.test") && !newest.output.contains("a.test"))
        #expect(newest.prose.contains("atsgate: recording two: 1 load; "))
        #expect(newest.prose.contains(" UTC; secure defaults; as iOS 27; enforce\n"))
        let older = try report(["--recording", "one"], of: store)
        #expect(older.output.contains("a.test") && !older.output.contains("b.test"))
        let all = try report(["--all"], of: store)
        #expect(all.output.contains("a.test") && all.output.contains("b.test"))
        #expect(all.prose.contains("2 recordings, one, two: 2 loads; "))
        #expect(try report(["--recording", "one", "--recording", "two"], of: store).status == 64)
        #expect(try report(["--recording", "one", "--all"], of: store).status == 64)
    }

    @Test(
        "--all never mixes enforced and audited recordings, and lists those left out",
        arguments: StoreKind.allCases)
    func modes(kind: StoreKind) throws {
        let store = try kind.word()
        let lab = try Launch.lab(in: folder)
        defer { _ = lab.stop() }
        try record("audited", ["cleartext.lab.test"], ["--config", "lab.conf", "--mode", "audit"], in: store)
        try record("enforced", ["a.test"], in: store)
        let all = try report(["--all"], of: store)
        #expect(all.output.contains("a.test") && !all.output.contains("cleartext.lab.test"))
        #expect(all.prose.contains("left out, recorded in another mode: recording audited: 1 load; "))
        #expect(try report(["--recording", "audited"], of: store).output.contains("would block"))
    }

    @Test("conditions select loads, and --fail-on applies to those only", arguments: StoreKind.allCases)
    func conditions(kind: StoreKind) throws {
        let store = try kind.word()
        try record("one", ["a.test", "b.example"], ["--listen", "tv=127.0.0.1:0"], in: store)
        let one = try report(["--host", "*.test", "--format", "csv", "--fail-on", "blocked"], of: store)
        #expect(one.status == 1)
        #expect(one.output.contains("a.test") && !one.output.contains("b.example"))
        #expect(one.prose.contains("; devices tv\n"))
        for options in [
            ["--rule", "ats.cleartext*"], ["--label", "tv"], ["--since", "1h"], ["--since", "2020-02-29T10:00+02:00"],
            ["--verdict", "blocked"], ["--verdict", "failed", "--verdict", "blocked"],
        ] {
            #expect(try report(options + ["--fail-on", "blocked"], of: store).status == 1, "\(options)")
        }
        for options in [
            ["--rule", "tls.*"], ["--label", "phone"], ["--until", "1h"], ["--verdict", "failed"],
            ["--host", "c.test"],
        ] {
            #expect(try report(options + ["--fail-on", "blocked"], of: store).status == 3, "\(options)")
            #expect(try report(options, of: store).status == 3)
        }
        for (option, value, words) in [
            ("--host", "c.test", "; did you mean a.test? The recorded hosts are a.test, b.example"),
            ("--rule", "tls.*", ". The recorded rules are ats.cleartext-load"), ("--label", "tc", "; did you mean tv?"),
            ("--app", "Shop", ". The recorded apps are curl"),
        ] {
            let missed = try report([option, value], of: store)
            #expect(missed.prose.contains("no load matches the conditions" + words), "\(missed.prose)")
        }
        let both = try report(["--host", "a.test", "--rule", "tls.*"], of: store).prose
        #expect(!both.contains("recorded hosts") && both.contains("recorded rules"), "\(both)")
        for wrong in ["yesterday", "2026-02-30", "1y", "2026-01-01T25:00", ""] {
            #expect(try report(["--since", wrong], of: store).status == 64, "\(wrong)")
        }
        #expect(try report(["--fail-on", "none"], of: store).status == 0)
        #expect(try report([], of: store).status == 0)
    }

    @Test("--by prints one row for each host, rule, device or entrance", arguments: StoreKind.allCases)
    func outline(kind: StoreKind) throws {
        let store = try kind.word()
        try record("one", ["a.test", "a.test", "b.test"], ["--listen", "tv=127.0.0.1:0"], in: store)
        #expect(
            try report(["--by", "host", "--format", "csv"], of: store).output == """
                host,loads,blocked,wouldBlock,failed,allowed,outside,rules\r
                a.test,2,2,0,0,0,0,ats.cleartext-load\r
                b.test,1,1,0,0,0,0,ats.cleartext-load\r

                """)
        #expect(
            try report(["--by", "rule", "--format", "markdown"], of: store).output.hasSuffix(
                "| ats.cleartext-load | 3 | 3 | 0 | 0 | 0 | 0 | a.test b.test |\n"))
        #expect(
            try report(["--by", "device", "--host", "b*"], of: store).output == """
                device     loads  blocked  would block  failed  allowed  outside
                tv, ios27      1        1            0       0        0        0

                """)
        #expect(
            try report(["--by", "entrance", "--entrance", "proxy", "--entrance", "socks"], of: store).output == """
                entrance  loads  blocked  would block  failed  allowed  outside
                proxy         3        3            0       0        0        0

                """)
        #expect(try report(["--entrance", "wireguard"], of: store).status == 3)
        #expect(try report(["--entrance", "tunnel"], of: store).status == 64)
        #expect(try report(["--by", "host", "--format", "junit"], of: store).status == 64)
    }

    @Test("a store without loads ends with its own exit code", arguments: StoreKind.allCases)
    func nothing(kind: StoreKind) throws {
        let store = try kind.word()
        _ = try Binary.run(["run", "-q", "--store", store, "--", "true"], in: folder)
        #expect(try report([], of: store).status == 3)
    }

    @Test("an exception is printed as XML, or with --plistbuddy as commands; a parent's entry is widened first")
    func entries() throws {
        let near = #"{"NSExceptionDomains": {"b.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
        try folder.write(near, to: "near.json")
        try record("one", ["a.test", "www.b.test"], ["--policy", "near.json"], in: "s.sqlite")
        let text = try report([], of: "s.sqlite").output
        #expect(
            text.contains("<key>a.test</key>")
                && text.contains("NSExceptionDomains \"b.test\": NSIncludesSubdomains = true"))
        let commands = try report(["--plistbuddy"], of: "s.sqlite").output
        #expect(!commands.contains("<key>"))
        #expect(
            commands.contains("'Add :NSAppTransportSecurity:NSExceptionDomains:b.test:NSIncludesSubdomains bool true'"))
        let page = try report(["--plistbuddy", "--format", "html"], of: "s.sqlite").output
        #expect(
            page.contains("a.test:NSExceptionAllowsInsecureHTTPLoads bool true") && page.contains("by these commands"))
        #expect(try report(["--plistbuddy", "--format", "csv"], of: "s.sqlite").status == 64)
        let json = try report(["--json"], of: "s.sqlite")
        #expect(try json.output == report(["--format", "json"], of: "s.sqlite").output)
        #expect(try report(["--json", "--format", "html"], of: "s.sqlite").status == 64)
    }
}

import Foundation
import Testing

/// The exit code and all reports of a command agree.
@Suite("One judgement", .timeLimit(.minutes(10)))
struct JudgementTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private let script = "curl -s -o /dev/null http://a.test/ -o /dev/null http://b.test/ || true"
    private let reports = ["junit=r.xml", "sarif=r.sarif", "gitlab=r.gl", "markdown=r.md"].flatMap { ["--report", $0] }

    private func run(_ options: [String], in store: String = "s.sqlite") throws -> Binary.Outcome {
        try Binary.run(
            ["run", "-q", "--store", store, "--annotate", "github"] + options + ["--", "sh", "-c", script],
            in: folder, environment: ["GITHUB_OUTPUT": folder.path("output")])
    }

    private func isRed(_ name: String) -> Bool {
        folder.read(name + ".xml").contains("<failure") || folder.read(name + ".gl") != "[]\n"
            || folder.read(name + ".sarif").components(separatedBy: "\"level\":\"error\"").count
                > folder.read(name + ".sarif").components(separatedBy: "\"suppressions\":").count
    }

    @Test("a baseline applies to all reports of run: they are green together")
    func run() throws {
        #expect(try run(reports).status == 1)
        #expect(isRed("r"))
        let written = try run(["--write-baseline", "base.txt"] + reports)
        #expect(written.status == 0 && !written.prose.contains("::error"))
        #expect(!isRed("r") && folder.read("r.xml").contains("<skipped message=\"known: base.txt\">"))
        let known = try run(["--baseline", "base.txt"] + reports)
        #expect(known.status == 0 && !known.prose.contains("::error"))
        #expect(!isRed("r") && folder.read("r.md").hasPrefix("### atsgate: 2 known of 2 loads\n"))
        #expect(folder.read("output").hasSuffix("loads=2\nnew=0\nknown=2\n"))
        try folder.write("a.test ats.cleartext-load\n", to: "base.txt")
        #expect(try run(["--baseline", "base.txt"] + reports).status == 1)
        #expect(isRed("r") && folder.read("r.xml").contains("failures=\"1\""))
        #expect(try run(["--exit-zero"] + reports).status == 0)
        #expect(!isRed("r"))
    }

    @Test(
        "the exit code of report agrees with the content of formats for CI systems", arguments: StoreKind.allCases)
    func report(kind: StoreKind) throws {
        let store = try kind.word()
        _ = try run(["--write-baseline", "base.txt"], in: store)
        let report = ["report", "--store", store, "--format"]
        #expect(try Binary.run(report + ["text"], in: folder).status == 0)
        for (format, name) in [("junit", "r.xml"), ("sarif", "r.sarif"), ("gitlab", "r.gl")] {
            let whole = report + [format, "--output", name]
            #expect(try Binary.run(whole + ["--baseline", "base.txt"], in: folder).status == 0)
        }
        #expect(!isRed("r"))
        for (format, name) in [("junit", "q.xml"), ("sarif", "q.sarif"), ("gitlab", "q.gl")] {
            #expect(try Binary.run(report + [format, "--output", name], in: folder).status == 1)
        }
        #expect(isRed("q"))
        #expect(try Binary.run(report + ["junit", "--fail-on", "none"], in: folder).status == 0)
        let redacted = try Binary.run(report + ["junit", "--redact", "--baseline", "base.txt"], in: folder)
        #expect(redacted.status == 0 && !redacted.output.contains("<failure"))
        #expect(!redacted.output.contains("a.test") && redacted.output.contains("<skipped message=\"known: "))
    }

    @Test("the page's verify agrees with the later exit code")
    func verify() async throws {
        try folder.write("a.test ats.cleartext-load\n", to: "base.txt")
        let gate = try Launch(
            [
                "proxy", "-q", "--listen", "127.0.0.1:0", "--port-file", "port", "--web", "127.0.0.1:0",
                "--web-url-file", "url", "--store", "none", "--baseline", "base.txt",
            ], in: folder)
        #expect(gate.waits { !folder.read("port").isEmpty && !folder.read("url").isEmpty })
        let proxy = "http://127.0.0.1:" + folder.read("port").trimmingCharacters(in: .newlines)
        let verifier = try GateVerifier(folder.read("url"))
        await #expect(throws: GateVerifier.Failure.self) { try await verifier.expect() }
        #expect(try Binary.tool(["curl", "-s", "-o", "/dev/null", "-x", proxy, "http://a.test/"]) == 0)
        try await verifier.expect()
        try await verifier.expect(refusedBy: ["ats.cleartext-load"])
        #expect(try Binary.tool(["curl", "-s", "-o", "/dev/null", "-x", proxy, "http://b.test/"]) == 0)
        await #expect(throws: GateVerifier.Failure.self) { try await verifier.expect() }
        #expect(gate.stop().status == 1)
    }

    @Test("a gate with a baseline or --fail-on ends as run does; without, its reports judge and its exit code does not")
    func proxy() throws {
        try folder.write("a.test ats.cleartext-load\n", to: "base.txt")
        var prose = ""
        func end(_ options: [String], loading hosts: [String]) throws -> Int32 {
            try? FileManager.default.removeItem(atPath: folder.path("port"))
            let gate = try Launch(
                ["proxy", "-q", "--listen", "127.0.0.1:0", "--port-file", "port", "--web", "off", "--store", "none"]
                    + options + reports, in: folder)
            #expect(gate.waits { !folder.read("port").isEmpty })
            let port = folder.read("port").trimmingCharacters(in: .newlines)
            for host in hosts {
                let load = ["curl", "-s", "-o", "/dev/null", "-x", "http://127.0.0.1:\(port)", "http://\(host)/"]
                #expect(try Binary.tool(load) == 0)
            }
            let outcome = gate.stop()
            prose = outcome.prose
            return outcome.status
        }
        #expect(try end(["--baseline", "base.txt"], loading: ["a.test"]) == 0)
        #expect(!isRed("r"))
        #expect(try end(["--baseline", "base.txt"], loading: ["a.test", "b.test"]) == 1)
        #expect(try end(["--fail-on", "blocked"], loading: ["b.test"]) == 1)
        #expect(prose.contains("1 blocked"), "\(prose)")
        #expect(isRed("r"))
        #expect(try end(["--fail-on", "none"], loading: ["b.test"]) == 0)
        #expect(!isRed("r"))
        #expect(try end(["--fail-on", "blocked"], loading: []) == 3)
        #expect(folder.read("r.xml").contains("<error type=\"nothing-judged\""))
        #expect(try end([], loading: ["b.test"]) == 0)
        #expect(isRed("r"))
    }
}

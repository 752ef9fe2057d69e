import Foundation
import Testing

@Suite("verify", .timeLimit(.minutes(5)))
struct VerifyTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func verify(_ options: String...) throws -> (status: Int32, output: String) {
        let done = try Binary.run(["verify", "--store", "s.sqlite", "--within", "500ms"] + options, in: folder)
        return (done.status, done.output)
    }

    @Test("the loads of a running gate are checked, and a load that comes later is waited for")
    func runningGate() throws {
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0,label=phone", "--port-file", "port", "--store", "s.sqlite"], in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        #expect(try verify("--host", "a.example", "--expect", "none").status == 0)
        let missing = try verify("--host", "a.example", "--expect", "blocked")
        #expect(missing.status == 3 && missing.output == "not so: no load matches\n", "\(missing)")
        let waiting = try Launch(
            ["verify", "--store", "s.sqlite", "--host", "a.*", "--expect", "blocked", "--within", "60s"], in: folder)
        let port = folder.read("port").trimmingCharacters(in: .newlines)
        let load = ["curl", "-s", "-x", "http://127.0.0.1:\(port)", "--noproxy", "", "-o", "/dev/null"]
        #expect(try Binary.tool(load + ["http://a.example/"]) == 0)
        #expect(waiting.wait().status == 0)
        #expect(waiting.written == "ok: a.example: 1 load blocked by ats.cleartext-load\n")
        let allowed = try verify("--host", "a.example", "--expect", "allowed", "--json")
        let start = #"{"holds":false,"sentence":"a.example: 1 load blocked"#
        #expect(allowed.status == 1 && allowed.output.hasPrefix(start))
        #expect(try verify("--host", "a.example", "--expect", "none").status == 1)
        #expect(try verify("--host", "a.example", "--label", "other", "--expect", "none").status == 0)
        #expect(gate.stop().status == 0)
    }

    @Test("a wrong expectation is a wrong command line, and a missing store is bad input")
    func wrong() throws {
        #expect(try verify("--expect", "perhaps").status == 64)
        #expect(try verify("--expect", "none").status == 65)
    }
}

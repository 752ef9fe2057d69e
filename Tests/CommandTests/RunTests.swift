import Foundation
import Testing

@Suite("run", .timeLimit(.minutes(10)))
struct RunTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func run(_ options: [String], _ script: String) throws -> Binary.Outcome {
        try Binary.run(["run"] + options + ["--", "sh", "-c", script], in: folder)
    }

    @Test("a command that loads nothing passes its own status through", arguments: [Int32](arrayLiteral: 0, 1, 3, 255))
    func ownStatus(status: Int32) throws {
        #expect(try run([], "exit \(status)").status == status)
    }

    @Test("a command that a signal ends is told as 128 and its number")
    func endedBySignal() throws {
        #expect(try run([], "kill -TERM $$").status == 128 + SIGTERM)
    }

    @Test("a command that is not there is 127, one that is no program 126")
    func cannotRun() throws {
        #expect(try Binary.run(["run", "--", "no-such-command"], in: folder).status == 127)
        #expect(try Binary.run(["run", "--", try folder.write("text", to: "text")], in: folder).status == 126)
    }

    @Test("the child's data is all that reaches standard output")
    func standardOutput() throws {
        #expect(try run([], "echo data").output == "data\n")
    }

    @Test("a blocked load makes the verdict 1, unless --exit-zero or the command says otherwise")
    func blockedLoad() throws {
        let script = "curl -s -o /dev/null http://blocked.example/ || true"
        let blocked = try run([], script)
        #expect(blocked.status == 1)
        #expect(blocked.prose.contains("ats.cleartext-load"))
        #expect(try run(["--exit-zero"], script).status == 0)
        #expect(try run([], script + "; exit 5").status == 5)
    }

    @Test("a terminating signal reaches the child, and its status comes back")
    func forwardedSignal() throws {
        let script = "trap 'exit 7' TERM; : > ready; while :; do sleep 0.05; done"
        let launch = try Launch(["run", "--", "sh", "-c", script], in: folder)
        #expect(launch.waits { FileManager.default.fileExists(atPath: folder.path("ready")) })
        #expect(launch.stop().status == 7)
    }

    @Test("the child sees the gate in its environment, and nothing that leads past it")
    func environment() throws {
        let names = [
            "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
        ]
        let script = names.map { "test -n \"$\($0)\"" }.joined(separator: " && ") + " && test -z \"$NO_PROXY$no_proxy\""
        #expect(try run([], script).status == 0)
        #expect(try run([], "test -s \"$SSL_CERT_FILE\"").status == 0)
    }
}

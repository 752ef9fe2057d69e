import Foundation
import Testing

@Suite("run", .timeLimit(.minutes(10)))
struct RunTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func run(_ options: [String], _ script: String) throws -> Binary.Outcome {
        try Binary.run(["run"] + options + ["--", "sh", "-c", script], in: folder)
    }

    @Test("a command that loads nothing passes its own status through", arguments: [Int32](arrayLiteral: 1, 3, 255))
    func ownStatus(status: Int32) throws {
        #expect(try run([], "exit \(status)").status == status)
    }

    @Test("no load at all is no success, and one line says what may be the cause; unless none is expected")
    func noLoads() throws {
        let outcome = try run(["-q"], "exit 0")
        #expect(outcome.status == 3)
        #expect(outcome.prose.split(separator: "\n").count == 1)
        for word in ["URLSession", "Java", "Go on macOS", "--allow-no-loads"] { #expect(outcome.prose.contains(word)) }
        #expect(try run(["--allow-no-loads"], "exit 0").status == 0)
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
        #expect(try run(["--fail-on", "none"], script).status == 0)
        #expect(try run([], script + "; exit 5").status == 5)
    }

    @Test("a load that broke counts where --fail-on says so")
    func failedLoad() throws {
        let script = "curl -s -o /dev/null http://gone.example/ || true"
        let policy = try folder.write(#"{"NSAllowsArbitraryLoads": true}"#, to: "app.json")
        let options = ["--policy", policy, "--connect-to", "gone.example:80:127.0.0.1:1"]
        #expect(try run(options, script).status == 3, "nothing was judged")
        let failed = try run(options + ["--fail-on", "failed", "-q"], script)
        #expect(failed.status == 1)
        #expect(failed.prose == "atsgate: 1 load: 1 failed\n")
        let allowed = options + ["--allow-no-loads", "--fail-on", "failed"]
        #expect(try run(allowed + ["--write-baseline", "known.txt"], script).status == 0)
        #expect(folder.read("known.txt").contains("gone.example net.refused"))
        #expect(try run(allowed + ["--baseline", "known.txt"], script).status == 0)
    }

    @Test("two names for one recording are an error; a name that is there already is added to, and said so")
    func recordingName() throws {
        let script = "curl -s -o /dev/null http://blocked.example/ || true"
        #expect(try run(["--recording", "a", "--recording", "b"], "touch ran").status == 64)
        #expect(folder.read("ran").isEmpty && !FileManager.default.fileExists(atPath: folder.path("ran")))
        #expect(try !run(["--recording", "a"], script).prose.contains("already"))
        #expect(try run(["--recording", "a"], script).prose.contains("recording a holds 1 load already"))
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
        #expect(try run(["--allow-no-loads"], script).status == 0)
        #expect(try run(["--allow-no-loads"], "test -s \"$SSL_CERT_FILE\"").status == 0)
    }
}

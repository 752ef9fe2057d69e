import Foundation
import Testing

@Suite("run", .timeLimit(.minutes(10)))
struct RunTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func run(_ options: [String], _ script: String) throws -> Binary.Outcome {
        try Binary.run(["run"] + options + ["--", "sh", "-c", script], in: folder)
    }

    @Test("run returns the status of a command without loads", arguments: [Int32](arrayLiteral: 1, 3, 255))
    func ownStatus(status: Int32) throws {
        #expect(try run([], "exit \(status)").status == status)
    }

    @Test("a run without loads fails, and one line lists likely causes; --allow-no-loads accepts it")
    func noLoads() throws {
        let outcome = try run(["-q"], "exit 0")
        #expect(outcome.status == 3)
        #expect(outcome.prose.split(separator: "\n").count == 1)
        for word in ["URLSession", "Java", "Go on macOS", "--allow-no-loads"] { #expect(outcome.prose.contains(word)) }
        #expect(try run(["--allow-no-loads"], "exit 0").status == 0)
    }

    @Test("a command ended by a signal is reported as 128 plus its number")
    func endedBySignal() throws {
        #expect(try run([], "kill -TERM $$").status == 128 + SIGTERM)
    }

    @Test("the last line names the command if the exit code is its own, and atsgate's code if that also failed")
    func whoseStatus() throws {
        let made = try run(["--allow-no-loads", "-q"], "exit 2")
        #expect(made.status == 2 && made.prose == "atsgate: exit code 2 is from sh\n")
        let load = "curl -s -o /dev/null http://blocked.example/; exit 2"
        let both = try run([], load)
        #expect(both.status == 2)
        #expect(
            both.prose.hasSuffix("\natsgate: exit code 2 is from sh; from atsgate it would be 1\n"), "\(both.prose)")
        let own = try run([], "curl -s -o /dev/null http://blocked.example/ || true")
        #expect(own.status == 1 && !own.prose.contains("exit code"))
        let missing = try Binary.run(["run", "--", "./no-such-command"], in: folder)
        #expect(missing.prose.hasSuffix("\natsgate: exit code 127: no-such-command was not started\n"))
        #expect(!missing.prose.contains("nothing was judged"), "\(missing.prose)")
    }

    @Test("a missing command ends run with 127, a file that is not a program with 126")
    func cannotRun() throws {
        #expect(try Binary.run(["run", "--", "no-such-command"], in: folder).status == 127)
        #expect(try Binary.run(["run", "--", try folder.write("text", to: "text")], in: folder).status == 126)
    }

    @Test("standard output contains only the command's own data")
    func standardOutput() throws {
        #expect(try run([], "echo data").output == "data\n")
    }

    @Test("a blocked load ends run with 1, unless --exit-zero or the command's own status applies")
    func blockedLoad() throws {
        let script = "curl -s -o /dev/null http://blocked.example/ || true"
        let blocked = try run([], script)
        #expect(blocked.status == 1)
        #expect(blocked.prose.contains("ats.cleartext-load"))
        #expect(try run(["--exit-zero"], script).status == 0)
        #expect(try run(["--fail-on", "none"], script).status == 0)
        #expect(try run([], script + "; exit 5").status == 5)
    }

    @Test("a load that failed on the network counts only with --fail-on any")
    func failedLoad() throws {
        let script = "curl -s -o /dev/null http://gone.example/ || true"
        let policy = try folder.write(#"{"NSAllowsArbitraryLoads": true}"#, to: "app.json")
        let options = ["--policy", policy, "--connect-to", "gone.example:80:127.0.0.1:1"]
        #expect(try run(options, script).status == 3, "no load was judged")
        let failed = try run(options + ["--fail-on", "any", "-q"], script)
        #expect(failed.status == 1)
        #expect(failed.prose == "atsgate: 1 load: 1 failed\n")
        let allowed = options + ["--allow-no-loads", "--fail-on", "any"]
        #expect(try run(allowed + ["--write-baseline", "known.txt"], script).status == 0)
        #expect(folder.read("known.txt").contains("gone.example net.refused"))
        #expect(try run(allowed + ["--baseline", "known.txt"], script).status == 0)
    }

    @Test("two recording names are an error; an existing name is extended, and the message says so")
    func recordingName() throws {
        let script = "curl -s -o /dev/null http://blocked.example/ || true"
        #expect(try run(["--recording", "a", "--recording", "b"], "touch ran").status == 64)
        #expect(folder.read("ran").isEmpty && !FileManager.default.fileExists(atPath: folder.path("ran")))
        #expect(try !run(["--recording", "a"], script).prose.contains("already"))
        #expect(try run(["--recording", "a"], script).prose.contains("recording a already has 1 load"))
    }

    @Test("a terminating signal reaches the command, and run returns the command's status")
    func forwardedSignal() throws {
        let script = "trap 'exit 7' TERM; : > ready; while :; do sleep 0.05; done"
        let launch = try Launch(["run", "--", "sh", "-c", script], in: folder)
        #expect(launch.waits { FileManager.default.fileExists(atPath: folder.path("ready")) })
        #expect(launch.stop().status == 7)
    }

    @Test("the command's environment points to the gate, and no variable bypasses it")
    func environment() throws {
        let names = [
            "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
        ]
        let script = names.map { "test -n \"$\($0)\"" }.joined(separator: " && ") + " && test -z \"$NO_PROXY$no_proxy\""
        #expect(try run(["--allow-no-loads"], script).status == 0)
        #expect(try run(["--allow-no-loads"], "test -s \"$SSL_CERT_FILE\"").status == 0)
    }
}

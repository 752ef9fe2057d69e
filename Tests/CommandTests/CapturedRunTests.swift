#if os(Linux)
import Foundation
import Processes
import Testing

/// `run --capture`. On systems that forbid namespaces, the tests check the error message instead.
@Suite("run --capture", .timeLimit(.minutes(10)))
struct CapturedRunTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// - Returns: nil if the system forbids namespaces and the error shows an alternative.
    private func run(_ options: [String], _ script: String) throws -> Binary.Outcome? {
        let outcome = try Binary.run(["run", "--capture"] + options + ["--", "sh", "-c", script], in: folder)
        guard outcome.status == 69 else { return outcome }
        #expect(outcome.prose.contains("run without --capture"))
        return nil
    }

    @Test("loads that ignore the proxy are captured, recorded as such, and judged, except with --outside pass")
    func caught() throws {
        let options = ["-q", "--connect-to", "shop.test:80:127.0.0.1:1", "--json", "loads.jsonl"]
        let script = "curl -s -o answer --noproxy '*' http://shop.test/ || true"
        guard let judged = try run(options, script) else { return }
        #expect(judged.status == 1)
        #expect(folder.read("loads.jsonl").contains("\"url\":\"http://shop.test/\""))
        #expect(folder.read("loads.jsonl").contains("\"entrance\":\"capture\""))
        #expect(folder.read("answer").contains("ats.cleartext-load"))
        let passed = try run(options + ["--outside", "pass"], script)
        #expect(passed?.status == 3)
        #expect(passed?.prose.contains("--outside judge") == true)
        #expect(folder.read("loads.jsonl").contains("not judged; --outside judge judges them as the app's."))
    }

    @Test("names answered to a command are recognised if tunnelled devices also get names")
    func namesOption() throws {
        let options = [
            "-q", "--connect-to", "shop.test:80:127.0.0.1:1", "--json", "loads.jsonl", "--names",
        ]
        let script = "curl -s -o answer --noproxy '*' http://shop.test/ || true"
        // Another process may take the port before the gate does.
        for _ in 0..<20 {
            let port = try Loopback.freePorts(1)[0]
            guard let outcome = try run(options + ["127.0.0.1:\(port)"], script) else { return }
            guard outcome.status != 69 else { continue }
            #expect(outcome.status == 1)
            #expect(folder.read("loads.jsonl").contains("\"url\":\"http://shop.test/\""))
            #expect(!folder.read("loads.jsonl").contains("client.address"))
            return
        }
        Issue.record("no free port after 20 attempts")
    }

    @Test("loads through the proxy are judged as usual")
    func obedient() throws {
        let script = "curl -s -o /dev/null http://blocked.example/ || true"
        guard let outcome = try run(["--json", "loads.jsonl"], script) else { return }
        #expect(outcome.status == 1)
        #expect(folder.read("loads.jsonl").contains("\"entrance\":null"))
    }

    @Test("a host outside with the gate's own address is not the gate")
    func sameAddress() throws {
        let script = """
            for host in 127.0.0.1 0.0.0.0
            do curl -s -m 10 -o answer --noproxy '' "https://$host:${http_proxy##*:}/" || true
            done
            """
        guard try run(["-q", "--allow-no-loads", "--json", "loads.jsonl"], script) != nil else { return }
        let loads = folder.read("loads.jsonl")
        for host in ["127.0.0.1", "0.0.0.0"] { #expect(loads.contains("\"url\":\"https://\(host):")) }
        #expect(!loads.contains("gate.loop"))
    }

    @Test("the command's status, its output and a missing command are reported as without --capture")
    func ordinary() throws {
        guard let outcome = try run(["-q"], "echo data; exit 7") else { return }
        #expect(outcome.status == 7 && outcome.output == "data\n")
        #expect(try run([], "kill -TERM $$")?.status == 128 + SIGTERM)
        let missing = try Binary.run(["run", "--capture", "--", "./no-such-command"], in: folder)
        #expect(missing.status == 127)
        #expect(missing.prose.contains("./no-such-command cannot be run: "))
    }

    @Test(
        "--capture-ports takes a limited list of port numbers, and needs --capture",
        arguments: [
            (["--capture", "--capture-ports", "80,x"], "\"x\" is not a port"),
            (["--capture", "--capture-ports", "0"], "\"0\" is not a port"),
            (["--capture-ports", "8080"], "--capture-ports needs --capture"),
            (
                ["--capture", "--capture-ports", (1...70).map { "\(9_000 + $0)" }.joined(separator: ",")],
                "at most 62 ports"
            ),
        ])
    func usage(options: [String], words: String) throws {
        let outcome = try Binary.run(["run"] + options + ["--", "true"], in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.prose.contains(words))
    }

    @Test("a run without loads suggests --capture, unless it was given")
    func offered() throws {
        let outcome = try Binary.run(["run", "-q", "--", "true"], in: folder)
        #expect(outcome.status == 3)
        #expect(outcome.prose.contains("Use --capture, which also catches programs that ignore the variables"))
        guard let captured = try run(["-q"], "true") else { return }
        #expect(captured.status == 3 && captured.prose.contains("opened no connection that --capture catches"))
        #expect(!captured.prose.contains("Use --capture"))
    }
}
#endif

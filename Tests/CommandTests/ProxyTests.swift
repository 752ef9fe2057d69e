import Foundation
import Processes
import Testing

@Suite("proxy", .timeLimit(.minutes(10)))
struct ProxyTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func start(_ options: [String]) throws -> (gate: Launch, proxy: String) {
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--store", "s.sqlite"] + options, in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        return (gate, "http://127.0.0.1:" + folder.read("port").trimmingCharacters(in: .newlines))
    }

    /// The status that curl gets for an http load.
    private func status(_ url: String, by proxy: String) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "curl", "-s", "--noproxy", "", "-x", proxy, "-o", folder.path("body"), "-w", "%{http_code}", url,
        ]
        process.standardOutput = output
        try process.run()
        process.waitForEnd()
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    @Test("the start notice shows address, policy, CA with fingerprint, records and a curl line, all on standard error")
    func startNotice() throws {
        let (gate, proxy) = try start(["--recording", "nightly"])
        let outcome = gate.stop()
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        for fact in [
            proxy, "secure defaults, as iOS 27 (ios27), enforce", "ca-cert.pem", "SHA-256", "nightly", "curl -x",
        ] {
            #expect(outcome.prose.contains(fact))
        }
    }

    @Test("proxy and run report problems of a policy on standard input, as for a file")
    func inputRemarks() throws {
        let policy = #"{"NSAllowArbitraryLoads": true}"#
        let remark = "error: standard input: line 1: NSAllowArbitraryLoads is not a known ATS key"
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--store", "none", "--policy", "-"], in: folder,
            input: policy)
        try #require(gate.waits { !folder.read("port").isEmpty })
        #expect(gate.stop().prose.contains(remark))
        let run = try Binary.run(
            ["run", "--store", "none", "--allow-no-loads", "--policy", "-", "--", "true"], in: folder, input: policy)
        #expect(run.status == 0 && run.prose.contains(remark))
    }

    @Test("a failed start leaves no store", arguments: [["--policy", "no.plist"], ["--roots", "no.pem"]])
    func noEmptyStore(options: [String]) throws {
        let outcome = try Binary.run(
            ["proxy", "--listen", "127.0.0.1:0", "--store", "fresh.sqlite"] + options, in: folder)
        #expect(outcome.status == 65)
        #expect(
            try !FileManager.default.contentsOfDirectory(atPath: folder.url.path).contains { $0.contains("sqlite") })
    }

    @Test("a blocked load is a 403, a JSON line on standard output, and a line on standard error")
    func refusedLoad() throws {
        let (gate, proxy) = try start(["--json", "-"])
        #expect(try status("http://blocked.example/", by: proxy) == "403")
        let outcome = gate.stop()
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(#""verdict":"blocked""#))
        #expect(outcome.prose.contains("ats.cleartext-load"))
        #expect(outcome.prose.contains("-1022"))
    }

    @Test("--quiet prints nothing, and loads are still recorded")
    func quiet() throws {
        let (gate, proxy) = try start(["--quiet"])
        #expect(try status("http://blocked.example/", by: proxy) == "403")
        #expect(gate.stop().prose.isEmpty)
        let report = try Binary.run(["report", "--store", "s.sqlite"], in: folder)
        #expect(report.status == 0)
        #expect(report.output.contains("ats.cleartext-load"))
    }

    @Test("listener settings, --os auto, interpretation options and the app's own checks apply")
    func clientsApart() throws {
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0,assume=media,label=tv", "--os", "auto"]
                + ["--policy", try folder.write(#"{"NSAllowsArbitraryLoadsForMedia": true}"#, to: "app.json")]
                + ["--strict-ip", "on", "--app-overrides-trust", "--app-pin", "a.example=ca.der"]
                + ["--port-file", "port", "--store", "none", "--json", "-", "--timeout", "connect=1s"], in: folder)
        #expect(!gate.waits { !folder.read("port").isEmpty }, "the file of the pin does not exist")
        #expect(gate.wait().status == 65)
        let (good, proxy) = try start(
            ["--listen", "127.0.0.1:0,assume=media,label=tv", "--os", "auto", "--policy", folder.path("app.json")]
                + ["--strict-ip", "on", "--app-overrides-trust", "--json", "-", "--timeout", "connect=1s"])
        let ports = folder.read("port").split(separator: "\n")
        let first = proxy.split(separator: "\n").first.map(String.init) ?? ""
        #expect(try status("http://one.invalid/", by: first) == "403")
        #expect(try status("http://one.invalid/", by: "http://127.0.0.1:\(ports.last ?? "")") == "502")
        let outcome = good.stop()
        #expect(outcome.prose.contains("as each client's own release"))
        #expect(outcome.prose.contains("note: clients whose User-Agent shows no release are judged as iOS 27"))
        #expect(outcome.prose.contains("(tv, assume media)"))
        #expect(outcome.output.contains(#""label":"tv""#))
    }

    @Test("SIGHUP loads a changed policy, and a broken one changes nothing")
    func reload() throws {
        let path = try folder.write("{}", to: "app.json")
        let (gate, proxy) = try start(["--policy", path, "--timeout", "connect=1s"])
        #expect(try status("http://one.invalid/", by: proxy) == "403")
        try folder.write(#"{"NSAllowsArbitraryLoads": true}"#, to: "app.json")
        gate.send(SIGHUP)
        #expect(gate.waits { gate.said.contains("policy reloaded") })
        // Allowed now, so the name lookup fails instead.
        #expect(try status("http://two.invalid/", by: proxy) == "502")
        try folder.write("{", to: "app.json")
        gate.send(SIGHUP)
        #expect(gate.waits { gate.said.contains("reload failed") })
        #expect(try status("http://three.invalid/", by: proxy) == "502")
        #expect(gate.stop().status == 0)
    }

    @Test("an address that other machines can reach needs --allow-lan, and causes a warning")
    func lan() throws {
        let refused = try Binary.run(["proxy", "--listen", "0.0.0.0:0"], in: folder)
        #expect(refused.status == 64)
        #expect(refused.prose.contains("--allow-lan"))
        let gate = try Launch(["proxy", "--listen", "0.0.0.0:0", "--allow-lan", "--port-file", "port"], in: folder)
        #expect(gate.waits { !folder.read("port").isEmpty })
        #expect(gate.stop().prose.contains("warning: other machines can reach 0.0.0.0:"))
    }
}

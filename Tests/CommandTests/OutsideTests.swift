import Foundation
import Processes
import Testing

/// Clients that ATS does not govern on a device, from the command line to the exit code.
@Suite("Judged and outside clients", .timeLimit(.minutes(10)))
struct OutsideTests {
    let folder: Folder
    private let lab: Launch

    init() throws {
        folder = try Folder()
        lab = try Launch.lab(in: folder)
    }

    private static let safari =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 "
        + "Mobile/15E148 Safari/604.1"
    private static let app = "Shop/1 CFNetwork/1494.0.5 Darwin/23.4.0"
    private static let status = "curl -s -o /dev/null -w '%{http_code}\\n'"

    private func run(_ options: [String], _ script: String) throws -> Binary.Outcome {
        try Binary.run(
            ["run", "--config", "lab.conf", "--store", "s.sqlite"] + options + ["--", "sh", "-c", script], in: folder)
    }

    /// The output of `script` and the end of a gate that is stopped after it. `$P` is the gate's address.
    private func proxy(_ options: [String], _ script: String) throws -> (output: String, end: Binary.Outcome) {
        let gate = try Launch(
            ["proxy", "--config", "lab.conf", "--store", "p.sqlite", "--listen", "127.0.0.1:0", "--port-file", "port"]
                + ["--web", "off", "--ca-dir", "ca"] + options, in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        let port = folder.read("port").trimmingCharacters(in: .whitespacesAndNewlines)
        let words = "curl() { command curl --cacert ca/ca-cert.pem -x http://127.0.0.1:\(port) \"$@\"; }; " + script
        let shell = Process()
        let pipe = Pipe()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", words]
        shell.currentDirectoryURL = folder.url
        shell.standardOutput = pipe
        try shell.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitForEnd()
        try? FileManager.default.removeItem(atPath: folder.path("port"))
        return (output, gate.stop())
    }

    @Test("proxy lets loads outside ATS pass, summarises them at the end, and judges them with --outside judge")
    func proxy() throws {
        let script = ["Dart/3.3 (dart:io)", "okhttp/4.12", Self.safari].map { agent in
            "\(Self.status) -A '\(agent)' http://cleartext.lab.test/; \(Self.status) -A '\(agent)' https://rsa-kx.lab.test/"
        }.joined(separator: "; ")
        let passed = try proxy(["--fail-on", "blocked"], script)
        #expect(passed.output == String(repeating: "200\n", count: 6))
        #expect(passed.end.status == 3 && passed.end.prose.contains("6 loads: 6 outside\n"))
        #expect(passed.end.prose.contains("no load that ATS governs came through the gate"))
        let judged = try proxy(["--fail-on", "blocked", "--outside", "judge"], script)
        #expect(judged.output == String(repeating: "403\n000\n", count: 3))
        #expect(judged.end.status == 1 && judged.end.prose.contains("6 loads: 6 blocked\n"))
        let assumed = try proxy(["--assume", "app"], script)
        #expect(assumed.output == judged.output)
        let flawed = try proxy([], "\(Self.status) -A '\(Self.safari)' https://expired.lab.test/")
        #expect(flawed.output == "000\n" && flawed.end.prose.contains("1 load: 1 outside\n"))
    }

    @Test("proxy ends with one note on clients of another release, and one on hosts with judged and outside loads")
    func notes() throws {
        let url = "http://cleartext.lab.test/"
        let agents = [Self.app, Self.app, Self.safari]
        let end = try proxy([], agents.map { "\(Self.status) -A '\($0)' \(url)" }.joined(separator: "; ")).end
        let said =
            "atsgate: note: Clients report iOS 17.4 but are judged as iOS 27. To judge each client by its own release: --os auto.\n"
        #expect(end.prose.components(separatedBy: said).count == 2)
        let mixed =
            "note: cleartext.lab.test: some loads came from clients that ATS does not govern (Safari) and were not judged"
        #expect(end.prose.contains(mixed))
        let report = try Binary.run(["report", "--store", "p.sqlite"], in: folder)
        #expect(report.output.contains("  - Clients report iOS 17.4 but"))
        #expect(report.output.contains("3: 2 blocked, 1 outside\n"))
        let only = try Binary.run(
            ["report", "--store", "p.sqlite", "--verdict", "outside", "--format", "jsonl"], in: folder)
        #expect(only.output.contains("\"loader\":\"app\",\"assumed\":\"Safari\",") && !only.output.contains("blocked"))
        let auto = try proxy(["--os", "auto"], "\(Self.status) -A '\(Self.app)' \(url)").end
        #expect(!auto.prose.contains("Clients report"))
    }

    @Test("for run a library with its own TLS counts as the app, and a browser does not")
    func run() throws {
        let url = "http://cleartext.lab.test/"
        for agent in ["Dart/3.3 (dart:io)", "Go-http-client/1.1", "okhttp/4.12"] {
            let outcome = try run([], "\(Self.status) -A '\(agent)' \(url)")
            #expect(outcome.status == 1 && outcome.output == "403\n")
            let program = agent.prefix { $0 != "/" && $0 != "-" }
            #expect(outcome.prose.contains("client app, assumed from \(program), ios27"))
        }
        let curl = try run([], "\(Self.status) \(url)")
        #expect(curl.status == 1 && curl.prose.contains("client app, assumed from curl, ios27, curl/"))
        let browser = try run(["--report", "junit=r.xml"], "\(Self.status) -A '\(Self.safari)' \(url)")
        #expect(browser.status == 3 && browser.output == "200\n" && browser.prose.contains("1: 1 outside\n"))
        #expect(folder.read("r.xml").contains("<error type=\"nothing-judged\""))
        let judged = try run(["--outside", "judge"], "\(Self.status) -A '\(Self.safari)' \(url)")
        #expect(judged.status == 1 && judged.prose.contains("client app, assumed from Safari, ios27"))
        let replayed = try Binary.run(["replay", "--store", "s.sqlite", "--all", "--os", "ios26"], in: folder)
        #expect(replayed.output.contains("of these 1 outside, where ATS does not apply"))
    }
}

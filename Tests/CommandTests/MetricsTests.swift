import Foundation
import Testing

import func Processes.holds

/// Requests of monitoring systems to a real gate.
@Suite("Metrics of a gate", .timeLimit(.minutes(10)))
struct MetricsTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// A gate before the lab, and the ports that it reported.
    private func gate(_ options: [String]) throws -> (gate: Launch, ports: [String]) {
        let gate = try Launch(
            [
                "proxy", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--port-file", "port", "--web", "off",
                "--store", "loads.sqlite", "--recording", "secret-name",
            ] + options, in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty }, "\(gate.said)")
        return (gate, folder.read("port").split(separator: "\n").map(String.init))
    }

    /// The status and body of a response.
    private func ask(_ port: String, _ path: String) throws -> (status: String, body: String) {
        let said = folder.path("answer")
        let status = folder.path("status")
        _ = try Binary.tool(
            ["sh", "-c", "curl -s --noproxy '*' -m 30 -o \"$0\" -w '%{http_code}' \"$2\" > \"$1\""]
                + [said, status, "http://127.0.0.1:\(port)\(path)"])
        return (folder.read("status"), folder.read("answer"))
    }

    /// The counts by verdict and rule.
    private static func loads(in metrics: String) -> [String: Int] {
        var loads: [String: Int] = [:]
        for line in metrics.split(separator: "\n") {
            guard let match = line.wholeMatch(of: /atsgate_loads_total\{verdict="(\w+)",rule="([a-zA-Z.-]+)"\} (\d+)/)
            else { continue }
            let count = Int(match.output.3) ?? 0
            if count > 0 { loads["\(match.output.1) \(match.output.2)"] = count }
        }
        return loads
    }

    /// The same counts from a report.
    private func reported() throws -> [String: Int] {
        let report = try Binary.run(["report", "--store", "loads.sqlite", "--format", "jsonl"], in: folder)
        var loads: [String: Int] = [:]
        for line in report.output.split(separator: "\n") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            let findings = object["findings"] as? [[String: Any]]
            let rule = findings?.first?["rule"] as? String ?? "none"
            loads["\(object["verdict"] as? String ?? "") \(rule)", default: 0] += 1
        }
        return loads
    }

    @Test("the metrics equal the report after loads of every kind, and contain no host, path or recording")
    func sums() throws {
        let lab = try Launch(["lab", "--json", "--write-config", "lab.conf"], in: folder)
        try #require(lab.waits { !folder.read("lab.conf").isEmpty })
        let origins = try JSONSerialization.jsonObject(with: Data(lab.written.utf8)) as? [[String: Any]] ?? []
        let urls = origins.compactMap { $0["url"] as? String }.filter { !$0.contains("stalls") }
        try #require(urls.count > 10)
        let (gate, ports) = try gate(["--config", "lab.conf", "--ca-dir", "ca"])
        try #require(ports.count == 2)
        let curl = ["curl", "-s", "--noproxy", "", "-x", "http://127.0.0.1:\(ports[0])", "--cacert", "ca/ca-cert.pem"]
        let script = "cd \"$0\" && exec \"$@\""
        for _ in 0..<2 {
            _ = try Binary.tool(
                ["sh", "-c", script, folder.url.path] + curl + urls.flatMap { ["-o", "/dev/null", "\($0)?token=hush"] })
        }
        #expect(try ask(ports[1], "/healthz") == ("200", "ok\n"))
        #expect(try ask(ports[1], "/readyz") == ("200", "ok\n"))
        // Records reach the sinks some moments after their loads end.
        var text = ""
        #expect(
            try holds(within: 60) {
                text = try ask(ports[1], "/metrics").body
                return Self.loads(in: text).values.reduce(0, +) >= urls.count * 2
            })
        let metered = Self.loads(in: text)
        for word in ["lab.test", "hush", "secret-name", folder.url.path, "127.0.0.1"] { #expect(!text.contains(word)) }
        #expect(text.contains("\natsgate_load_seconds_count \(metered.values.reduce(0, +))\n"))
        #expect(text.contains("\natsgate_records_lost_total{sink=\"store\"} 0\n"))
        let stopped = gate.stop()
        #expect(stopped.prose.contains("metrics    http://127.0.0.1:\(ports[1])/metrics\n"))
        #expect(metered.count > 5)
        #expect(try reported() == metered)
    }

    @Test("an unreadable policy is counted, and so is a readable one after it")
    func reloads() throws {
        try folder.write("{}", to: "app.json")
        let (gate, ports) = try gate(["--policy", "app.json"])
        for (policy, line) in [
            ("{\"NSAppTransportSecurity\":[", "atsgate_policy_last_reload_successful 0"),
            ("{\"NSAllowsArbitraryLoads\": true}", "atsgate_policy_last_reload_successful 1"),
        ] {
            try folder.write(policy, to: "app.json")
            gate.send(SIGHUP)
            #expect(try holds(within: 60) { try ask(ports[1], "/metrics").body.contains("\n\(line)\n") }, "\(line)")
        }
        let text = try ask(ports[1], "/metrics").body
        #expect(text.contains(/\natsgate_policy_reload_failures_total [1-9]/))
        #expect(text.contains(/\natsgate_policy_reloads_total [1-9]/))
        #expect(gate.stop().status == 0)
    }

    @Test("a network address needs --allow-lan and causes a warning; one in use ends the start with 69")
    func addresses() throws {
        let options = ["proxy", "--listen", "127.0.0.1:0", "--store", "none", "--web", "off", "--port-file", "port"]
        let refused = try Binary.run(options + ["--metrics", "0.0.0.0:0"], in: folder)
        #expect(refused.status == 64)
        #expect(refused.prose.contains("--allow-lan"))
        let opened = try Launch(options + ["--metrics", "0.0.0.0:0", "--allow-lan"], in: folder)
        #expect(opened.waits { !folder.read("port").isEmpty })
        let ports = folder.read("port").split(separator: "\n").map(String.init)
        let taken = try Binary.run(
            options.dropLast(2) + ["--metrics", "127.0.0.1:\(ports.last ?? "")"], in: folder)
        #expect(taken.status == 69 && taken.prose.contains("metrics cannot be served"))
        let told = opened.stop().prose
        let place = "0.0.0.0:\(ports.last ?? "")"
        #expect(told.contains("other machines can reach \(place), and anyone there can read its metrics"))
        let odd = try Binary.run(options + ["--metrics", "gate.example:1"], in: folder)
        #expect(odd.status == 64 && odd.prose.contains("is neither an IP address nor localhost"))
    }

    @Test("run also serves metrics while its command runs")
    func running() throws {
        let script = "curl -s --noproxy '*' http://127.0.0.1:$(tail -1 port)/readyz; grep -c '' port"
        let outcome = try Binary.run(
            ["run", "--metrics", "127.0.0.1:0", "--port-file", "port", "--store", "none", "--allow-no-loads", "--"]
                + ["sh", "-c", script], in: folder)
        #expect(outcome.output == "ok\n2\n")
        #expect(outcome.prose.contains("metrics http://127.0.0.1:"))
    }
}

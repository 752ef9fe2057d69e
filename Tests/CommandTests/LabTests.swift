import Foundation
import Testing

@Suite("The lab with a gate", .timeLimit(.minutes(10)))
struct LabTests {
    let folder: Folder
    private let lab: Launch

    init() throws {
        folder = try Folder()
        lab = try Launch(["lab", "--json", "--write-config", "lab.conf"], in: folder)
        let folder = folder
        try #require(lab.waits { !folder.read("lab.conf").isEmpty })
    }

    private func run(_ options: [String], _ command: [String]) throws -> Binary.Outcome {
        try Binary.run(["run", "--config", "lab.conf"] + options + ["--"] + command, in: folder)
    }

    private static func fetch(_ url: String) -> [String] {
        ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", url]
    }

    @Test("lab --json lists name, port, flaw, verdict, rule and Apple's codes of each origin")
    func json() throws {
        let origins = try JSONSerialization.jsonObject(with: Data(lab.written.utf8)) as? [[String: Any]] ?? []
        #expect(origins.count >= 12)
        for origin in origins {
            for key in ["name", "port", "flaw", "expectedVerdict", "rule", "appleError"] { #expect(origin[key] != nil) }
        }
        #expect(lab.stop().status == 0)
    }

    @Test("the lab writes its log list next to the configuration, names it there, and its timestamps verify")
    func logs() throws {
        let origins = try JSONSerialization.jsonObject(with: Data(lab.written.utf8)) as? [[String: Any]] ?? []
        let path = try #require(origins.first?["ctLogs"] as? String)
        #expect(folder.read("lab.conf.logs.json").contains("log_list_timestamp"))
        #expect(folder.read("lab.conf").contains("#ct-logs = \(path)\n"))
        let store = ["--ct-logs", path, "--store", "s.sqlite"]
        #expect(try run(store, Self.fetch("https://good.lab.test/")).status == 0)
        let report = try Binary.run(["report", "--store", "s.sqlite", "--format", "jsonl"], in: folder)
        #expect(report.output.contains(#""scts":{"embedded":2,"handshake":0,"stapled":0,"given":2,"refused":[]}"#))
    }

    @Test("a broken log list ends the start with 65, with file and position")
    func brokenLogs() throws {
        let list = folder.read("lab.conf.logs.json").replacing(/"key":"[^"]*"/, with: #""key":"AAAA""#)
        let path = try folder.write(list, to: "broken.json")
        let outcome = try run(["--ct-logs", path], Self.fetch("https://good.lab.test/"))
        #expect(outcome.status == 65)
        #expect(outcome.prose.contains("broken.json: operators[0].logs[0].key: "))
    }

    @Test("a load from a sound origin succeeds")
    func sound() throws {
        let outcome = try run([], Self.fetch("https://good.lab.test/"))
        #expect(outcome.status == 0)
        #expect(outcome.output == "200")
    }

    @Test("static RSA fails in the client's TLS, succeeds with its exception, and the report shows both")
    func exception() throws {
        let url = "https://rsa-kx.lab.test/"
        let policy = try folder.write(
            #"{"NSExceptionDomains": {"rsa-kx.lab.test": {"NSExceptionRequiresForwardSecrecy": false}}}"#,
            to: "app.json")
        #expect(try run(["--store", "s.sqlite"], Self.fetch(url)).status == 60)
        let second = try run(["--store", "s.sqlite", "--policy", policy], Self.fetch(url))
        #expect(second.status == 0)
        #expect(second.output == "200")
        let report = try Binary.run(["report", "--store", "s.sqlite", "--all", "--format", "jsonl"], in: folder)
        let records = try report.output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(records.map { $0?["verdict"] as? String } == ["blocked", "allowed"])
        let keys: Set = [
            "schema", "id", "time", "recording", "client", "load", "policy", "verdict", "refusal", "findings", "origin",
            "apple", "shown", "remedy", "status", "bytes", "timing",
        ]
        for record in records { #expect(keys.subtracting(record?.keys.map { $0 } ?? []) == []) }
    }

    @Test("audit allows a load and still ends with 1, even without a store")
    func audit() throws {
        let outcome = try run(["--store", "none", "--mode", "audit"], Self.fetch("https://rsa-kx.lab.test/"))
        #expect(outcome.output == "200")
        #expect(outcome.status == 1)
        #expect(outcome.prose.contains("1 would block"))
    }

    @Test("a recording missing from the store is bad input, and the existing ones are named")
    func unknownRecording() throws {
        _ = try run(["--store", "s.sqlite", "--recording", "first"], Self.fetch("https://good.lab.test/"))
        let outcome = try Binary.run(["report", "--store", "s.sqlite", "--recording", "other"], in: folder)
        #expect(outcome.status == 65)
        #expect(outcome.prose.contains("first"))
    }
}

import Foundation
import Testing

/// `evidence read` and `evidence import`, run with the built command.
@Suite("evidence read and import", .timeLimit(.minutes(10)))
struct EvidenceImportTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
        try folder.write(DeviceLog.app, to: "app.log")
        try folder.write(DeviceLog.nscurl, to: "nscurl.txt")
        try folder.write(DeviceLog.har, to: "proxy.har")
    }

    private func evidence(_ words: String..., input: String = "") throws -> Binary.Outcome {
        try Binary.run(["evidence"] + words, in: folder, input: input)
    }

    private func on(_ words: String...) throws -> Binary.Outcome {
        try Binary.run(words + ["--store", "s.sqlite"], in: folder)
    }

    private func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test("read: a file, a folder and standard input give the same loads; a file named twice is read once")
    func read() throws {
        let file = try evidence("read", "app.log", "--json")
        #expect(file.status == 0)
        #expect(try objects(file.output).compactMap { $0["outcome"] as? String } == ["blocked", "blocked", "allowed"])
        let input = try evidence("read", "-", "--json", input: DeviceLog.app)
        #expect(input.output == file.output.replacing("\"log\":\"app.log\"", with: "\"log\":\"-\""))
        try FileManager.default.createDirectory(atPath: folder.path("logs"), withIntermediateDirectories: false)
        try folder.write(DeviceLog.app, to: "logs/a.txt")
        try folder.write(DeviceLog.nscurl, to: "logs/b.log")
        try folder.write(DeviceLog.app, to: "logs/c.png")
        let all = try evidence("read", "logs", "--json")
        #expect(try objects(all.output).count == 5 && all.prose.contains("5 loads in"))
        let twice = try evidence("read", "app.log", "./app.log")
        #expect(twice.prose.contains("./app.log is named twice, but read once"))
        #expect(twice.prose.contains("3 loads in") && twice.output.hasPrefix("OUTCOME"))
    }

    @Test("read: the words of the column ATS that occur are explained below the table, and in no JSON")
    func legend() throws {
        let task = "Task <0A0A0A0A-1111-4222-8333-444444444444>.<1>"
        try folder.write(
            """
            \(task) {strength 0, tls 4, ct 0, sub 0, sig 1, ciphers 0, bundle 1, builtin 0}
            \(task) received response, status 200 content K

            """, to: "lax.log")
        let output = try evidence("read", "app.log", "nscurl.txt", "lax.log").output
        let rows = output.split(separator: "\n").map { $0.split(separator: " ") }
        let words = Set(rows.dropFirst().filter { $0[0] != "ATS" && $0.count > 6 }.map { $0[6] }).subtracting(["-"])
        #expect(words == ["test", "lax"], "\(output)")
        #expect(Set(rows.filter { $0[0] == "ATS" }.map { $0[1].dropLast() }) == words, "\(output)")
        #expect(!(try evidence("read", "app.log", "--json").output.contains("ATS strict:")))
    }

    @Test("read: unreadable input ends with 65 after the rest, and no loads with 3")
    func readCodes() throws {
        let missing = try evidence("read", "missing.log", "app.log", "--json")
        #expect(missing.status == 65 && missing.prose.contains("missing.log cannot be read"))
        #expect(try objects(missing.output).count == 3)
        try folder.write("nothing of loads\n", to: "other.log")
        #expect(try evidence("read", "other.log").status == 3)
        #expect(try evidence("read").status == 64)
    }

    @Test("read: a folder with more than 10,000 logs is refused whole")
    func largeFolder() throws {
        try FileManager.default.createDirectory(atPath: folder.path("many"), withIntermediateDirectories: false)
        for number in 0...10_000 { try folder.write("", to: "many/\(number).log") }
        let refused = try evidence("read", "many", "app.log", "--json")
        #expect(refused.status == 65 && refused.prose.contains("more than 10000 logs"))
        #expect(try objects(refused.output).count == 3)
    }

    @Test("read: each count of skipped input has its own unit")
    func units() throws {
        let tasks = (0..<4_100).map { number in
            let name = "0A0A0A0A-1111-4222-8333-" + String(format: "%012X", number)
            return "Task <\(name)>.<1> setting up Connection \(number + 1)\n"
        }
        let prose = try evidence("read", "-", input: "a\0b\n" + tasks.joined()).prose
        #expect(prose.contains("4 loads closed before the end, because too many were open"), "\(prose)")
        #expect(prose.contains("1 line with zero bytes, skipped"), "\(prose)")
    }

    @Test("import: the device's loads become a recording that every command accepts")
    func recording() throws {
        let filed = try on("evidence", "import", "app.log", "--os", "ios17")
        #expect(filed.status == 0 && filed.prose.contains("imported 3 loads as recording app"), "\(filed.prose)")
        let records = try objects(on("report", "--format", "jsonl").output)
        #expect(records.compactMap { $0["verdict"] as? String } == ["blocked", "blocked", "allowed"])
        #expect(records.allSatisfy { $0["source"] as? String == "device" })
        let device = try #require(records.first?["device"] as? [String: Any])
        #expect(device["outcome"] as? String == "refused" && device["code"] as? Int == -1022)
        #expect(
            device["log"] as? String == "app.log" && device["line"] as? Int == 1 && device["app"] as? String == "Shop")
        let load = try #require(records.first?["load"] as? [String: Any])
        #expect(load["url"] as? String == "http://cleartext.lab.test/users/carol?page=***")
        #expect(load["protocol"] as? String == "unknown")
        #expect(records.first?["time"] as? String == "2026-10-07T13:30:54.722Z")
        #expect(!(try on("report", "--format", "jsonl").output.contains("page=2")))
        for format in ["text", "markdown", "html", "json", "csv", "har", "junit", "github"] {
            let report = try on("report", "--format", format, "--fail-on", "none")
            #expect(report.status == 0 && report.output.contains("expired.lab.test"), "\(format): \(report.prose)")
        }
        for format in ["sarif", "gitlab"] {
            let report = try on("report", "--format", format)
            #expect(report.status == 1 && report.output.contains("expired.lab.test"), "\(format): \(report.prose)")
        }
        #expect(try on("report", "--by", "host").output.contains("cleartext.lab.test"))
        #expect(try on("recordings", "list", "--json").output.contains("\"modes\":[\"device\"]"))
        let exported = try on("recordings", "export", "app", "masked.jsonl", "--redact")
        #expect(exported.status == 0)
        let bytes = try #require(FileManager.default.contents(atPath: folder.path("masked.jsonl")))
        for secret in ["lab.test", "carol", "bob", "Shop"] {
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)")
        }
    }

    @Test("import: a second import under the same name is refused, and unknown loads are counted")
    func twice() throws {
        #expect(try on("evidence", "import", "app.log").status == 0)
        let again = try on("evidence", "import", "app.log")
        #expect(again.status == 65 && again.prose.contains("already has a recording app"), "\(again.prose)")
        #expect(try objects(on("report", "--format", "jsonl").output).count == 3)
        let named = try on("evidence", "import", "nscurl.txt", "proxy.har", "--recording", "others")
        #expect(named.status == 0 && named.prose.contains("imported 3 loads as recording others"))
        let sources = try objects(on("report", "--format", "jsonl").output).compactMap { $0["source"] as? String }
        #expect(sources == ["nscurl", "nscurl", "har"])
        try folder.write(
            "Task <0A0A0A0A-1111-4222-8333-444444444444>.<1> finished with error - code: -1005\n", to: "bare.log")
        let bare = try on("evidence", "import", "bare.log")
        #expect(bare.status == 3 && bare.prose.contains("1 whose log shows no host"), "\(bare.prose)")
        let list = try on("recordings", "list").output
        #expect(!list.contains("bare"))
        #expect(try on("evidence", "import", "missing.log").status == 65)
        #expect(try Binary.run(["evidence", "import", "app.log", "--store", "none"], in: folder).status == 64)
    }

    @Test("replay: a load is unknown if the log lacks the certificate, and loads that ATS allowed stay allowed")
    func replay() throws {
        _ = try on("evidence", "import", "app.log", "--os", "ios17")
        try folder.write(#"{"NSAllowsArbitraryLoads":true}"#, to: "free.json")
        try folder.write("{}", to: "strict.json")
        let free = try on("replay", "--policy", "free.json")
        #expect(free.status == 0)
        #expect(free.output.contains("newly blocked 0, newly allowed 1, unknown 1, same 1"), "\(free.output)")
        #expect(free.output.contains("a device's log does not contain the server's certificate"))
        let strict = try on("replay", "--policy", "strict.json")
        #expect(strict.output.contains("newly blocked 0, newly allowed 0, unknown 2, same 1"), "\(strict.output)")
        let suggestion = try on("suggest", "--format", "json")
        #expect(suggestion.status == 0 && suggestion.output.contains("cleartext.lab.test"), "\(suggestion.prose)")
    }

    @Test(
        "import: the checks that a trust line names decide the rule, else the number; -1200 alone has none",
        arguments: [
            ("Trust evaluate failure: [leaf SSLHostname]", -1202, -9807, "trust.host-name"),
            ("Trust evaluate failure: [leaf AnchorTrusted]", -1200, -9802, "trust.self-signed"),
            ("Trust evaluate failure: [root AnchorTrusted]", -1202, -9807, "trust.untrusted-root"),
            ("", -1202, -9814, "trust.expired"), ("", -1202, -9807, "trust.untrusted-root"), ("", -1200, -9802, nil),
        ])
    func rules(line: String, code: Int, stream: Int, rule: String?) throws {
        try folder.write(
            """
            \(line)
            Task <11111111-1111-1111-1111-111111111111>.<1> finished with error [\(code)] Error Domain=NSURLErrorDomain \
            Code=\(code) "x" UserInfo={_kCFStreamErrorDomainKey=3, _kCFStreamErrorCodeKey=\(stream), \
            NSErrorFailingURLKey=https://api.shop.test/}

            """, to: "one.log")
        #expect(try evidence("import", "one.log", "--store", "s.sqlite").status == 0)
        let record = try #require(try objects(on("report", "--format", "jsonl").output).first)
        let findings = try #require(record["findings"] as? [[String: Any]])
        #expect(findings.first?["rule"] as? String == rule)
        #expect(try on("report").output.contains("Test the server: atsgate probe api.shop.test."))
    }
}

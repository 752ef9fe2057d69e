import Foundation
import Testing

@Suite("probe, by command", .timeLimit(.minutes(10)))
struct ProbeTests {
    let folder: Folder
    private let lab: Launch

    init() throws {
        folder = try Folder()
        lab = try Launch.lab(in: folder)
    }

    private func probe(_ arguments: String..., input: String = "") throws -> Binary.Outcome {
        try Binary.run(["probe", "--config", "lab.conf", "--timeout", "2s"] + arguments, in: folder, input: input)
    }

    @Test("the status is 0 if all targets pass, 1 if one fails, 2 if one is not reached; each has a row")
    func exitCodes() throws {
        #expect(try probe("good.lab.test").status == 0)
        let failing = try probe(
            "--input", "-", input: "# mine\nrsa-kx.lab.test  staging\nclosed.lab.test:1\ngood.lab.test\n")
        #expect(failing.status == 1)
        let order = ["https://rsa-kx.lab.test/\n", "https://closed.lab.test:1/\n", "https://good.lab.test/\n"]
        var rest = failing.output[...]
        for url in order { rest = rest[try #require(rest.range(of: url)).upperBound...] }
        #expect(try probe("127.0.0.1:1").status == 2)
        #expect(try probe().status == 3)
        #expect(try probe("ftp://a/").status == 64)
    }

    @Test("the servers of a HAR file are probed once each, without paths and queries")
    func har() throws {
        func entry(_ url: String) -> String { "{\"request\": {\"url\": \"\(url)\"}, \"response\": {\"status\": 200}}" }
        let entries = [
            entry("https://good.lab.test/a?token=secret"), entry("https://good.lab.test/b"), entry("data:text/plain,x"),
            entry("https://rsa-kx.lab.test/"),
        ]
        let text = "{\"log\": {\"entries\": [\n" + entries.joined(separator: ",\n") + "\n]}}\n"
        try folder.write(text, to: "cloud.har")
        let outcome = try probe("--input", "cloud.har", "--json")
        #expect(outcome.status == 1 && outcome.output.split(separator: "\n").count == 2)
        #expect(outcome.prose.contains("cloud.har: 4 entries of 2 servers; 1 without an http or https server\n"))
        #expect(!outcome.output.contains("secret") && outcome.output.contains("\"url\":\"https://good.lab.test/\""))
        #expect(try probe("--input", "-", "good.lab.test", input: text).status == 1)
        try folder.write(String(text.dropLast(20)), to: "cut.har")
        let cut = try probe("--input", "cut.har")
        #expect(cut.status == 65 && cut.prose.contains("cut.har:5: the HAR is cut off or is not JSON"))
        try folder.write("{\"log\": {\"entries\": []}}", to: "empty.har")
        #expect(try probe("--input", "empty.har").status == 3)
    }

    @Test("--json prints one object per target, release and line, with all documented keys")
    func json() throws {
        let outcome = try probe("--json", "--os", "ios17", "--os", "ios26", "rsa-kx.lab.test", "http://a.test/")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 4)
        let keys: Set = [
            "url", "os", "verdict", "rule", "findings", "apple", "origin", "remedy", "smallestException", "matrix",
            "exceptions", "quantumSecure",
        ]
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object.map { Set($0.keys) } == keys)
            #expect(object?["verdict"] as? String == "fail")
            #expect(object?["smallestException"] is [String: Any])
        }
    }

    @Test("--tls-diagnostics prints the lines of Apple's example, and nothing for a server without a handshake")
    func tlsDiagnostics() throws {
        let one = try probe("--tls-diagnostics", "good.lab.test")
        let lines = one.output.split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "Negotiated TLS version (codepoint): 0x0304", "Negotiated TLS key exchange group (name): X25519",
                "Negotiated TLS ciphersuite (codepoint): 0x1301",
            ])
        let several = try probe("--tls-diagnostics", "--os", "ios18", "rsa-kx.lab.test", "127.0.0.1:1")
        #expect(several.status == 1)
        #expect(
            several.output.hasPrefix(
                "# https://rsa-kx.lab.test/ on iOS 18\nNegotiated TLS version (codepoint): 0x0303\n"))
        #expect(several.output.contains("(name): none\n") && several.output.split(separator: "\n").count == 4)
        #expect(several.prose.contains("https://127.0.0.1:1/ on iOS 18: no handshake: net.refused"))
        #expect(try probe("--tls-diagnostics", "--json", "good.lab.test").status == 64)
    }

    @Test("probe and the gate agree about every origin of the lab")
    func gate() throws {
        let connections = folder.read("lab.conf").split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /connect-to = ([^:]+):(\d+):.*/).map {
                (String($0.1), $0.2 == "443" ? "https" : "http")
            }
        }
        let urls = connections.map { "\($0.1)://\($0.0)/" }
        #expect(urls.count >= 18)
        let fetches = urls.flatMap { ["-o", "/dev/null", $0] }
        _ = try Binary.run(
            ["run", "--config", "lab.conf", "--json", "gate.jsonl", "--", "curl", "-s", "--max-time", "20"] + fetches,
            in: folder)
        let records = try objects(folder.read("gate.jsonl"))
        let gate = records.map { record in
            let load = record["load"] as? [String: Any]
            let apple = record["apple"] as? [String: Any]
            let rule = (record["findings"] as? [[String: Any]])?.first?["rule"] as? String
            let isAllowed = record["verdict"] as? String == "allowed"
            return Said(
                host: load?["host"] as? String ?? "", verdict: isAllowed ? "pass" : "fail",
                rule: isAllowed ? nil : rule, code: apple?["code"] as? Int, stream: apple?["streamErrorCode"] as? Int)
        }
        let outcome = try Binary.run(["probe", "--config", "lab.conf", "--json"] + urls, in: folder)
        let probe = zip(connections, try objects(outcome.output)).map { connection, object in
            let apple = object["apple"] as? [String: Any]
            return Said(
                host: connection.0, verdict: object["verdict"] as? String ?? "", rule: object["rule"] as? String,
                code: apple?["code"] as? Int, stream: apple?["streamErrorCode"] as? Int)
        }
        #expect(probe.count == urls.count)
        #expect(Set(probe) == Set(gate))
    }

    private struct Said: Hashable {
        let host: String
        let verdict: String
        let rule: String?
        let code: Int?
        let stream: Int?
    }

    private func objects(_ lines: String) throws -> [[String: Any]] {
        try lines.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    /// The first words of the rows, without the URL.
    private func labels(_ outcome: Binary.Outcome) -> [String] {
        outcome.output.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
    }

    @Test("a few rows show verdict, cause, certificates, fix and the exception to paste; --verbose adds the rest")
    func brief() throws {
        let failing = try probe("rsa-kx.lab.test")
        #expect(
            labels(failing)
                == ["blocked", "why", "served", "chain", "server", "settings", "exception", "plist", "proof"])
        #expect(failing.output.split(separator: "\n").count == 20)
        let commands = try probe("--plistbuddy", "rsa-kx.lab.test")
        #expect(labels(commands).contains("commands") && !commands.output.contains("<key>"))
        let quiet = try probe("-q", "good.lab.test", "rsa-kx.lab.test")
        #expect(quiet.output == failing.output && quiet.status == 1)
        #expect(try probe("-q", "good.lab.test").output.isEmpty)
        #expect(!failing.output.contains("\u{1B}"))
        let good = try probe("good.lab.test")
        #expect(labels(good) == ["allowed", "served", "chain", "group"])
        #expect(good.output.contains("on iOS 27: TLS 1.3, TLS_AES_"))
        let full = try probe("--verbose", "rsa-kx.lab.test")
        for label in ["device", "prints", "address", "agreed", "SCTs", "staple", "nginx", "Apache", "IIS"] {
            #expect(labels(full).contains(label), "\(label)")
        }
        // No key allows a host whose certificate expired.
        #expect(labels(try probe("expired.lab.test")).contains("no"))
    }

    @Test("--server adds the configuration for that server")
    func server() throws {
        let outcome = try probe("--server", "nginx", "rsa-kx.lab.test")
        #expect(outcome.output.contains("  nginx      ssl_ciphers "))
        #expect(labels(outcome).count == 9)
        #expect(try probe("--server", "ALB", "rsa-kx.lab.test").output.contains("  AWS ALB    security policy"))
        let reissued = try probe("--server", "nginx", "no-san.lab.test").output
        #expect(reissued.contains("-addext subjectAltName=DNS:no-san.lab.test ") && reissued.contains(" -days 825 "))
        let wrong = try probe("--server", "lighttpd", "rsa-kx.lab.test")
        #expect(wrong.status == 64 && wrong.prose.contains("caddy"))
    }

    @Test("a last line counts several targets")
    func summary() throws {
        let three = try probe("good.lab.test", "rsa-kx.lab.test", "127.0.0.1:1")
        #expect(three.output.hasSuffix("\n\n3 targets: 1 allowed, 1 blocked, 1 unknown\n"))
        let systems = try probe("--os", "ios17", "--os", "ios26", "good.lab.test")
        #expect(systems.output.hasSuffix("\n1 target on 2 releases: 2 allowed\n"))
        #expect(!(try probe("good.lab.test")).output.contains("target"))
        #expect(try probe("127.0.0.1:1").output.contains("\n  unknown    on iOS 27: net.refused"))
        let rows = try probe("--all-os", "rsa-kx.lab.test").output
        #expect(rows.contains("  iOS 27        blocked  ats.forward-secrecy  -1200"), "\(rows)")
    }

    @Test("a baseline accepts known hosts and rules, and new ones fail")
    func baseline() throws {
        #expect(try probe("rsa-kx.lab.test", "--write-baseline", "known.txt").status == 0)
        #expect(folder.read("known.txt").contains("rsa-kx.lab.test ats.forward-secrecy\n"))
        #expect(try probe("rsa-kx.lab.test", "--baseline", "known.txt").status == 0)
        #expect(try probe("rsa-kx.lab.test", "expired.lab.test", "--baseline", "known.txt").status == 1)
    }

    @Test(
        "every report format contains the failure",
        arguments: [
            ("junit", "<failure type=\"ats.forward-secrecy\""), ("sarif", "\"ruleId\":\"ats.forward-secrecy\""),
            ("markdown", "| blocked | `ats.forward-secrecy` |"),
            ("csv", "fail,ats.forward-secrecy,-1200,-9858,127.0.0.1:"),
        ])
    func formats(format: String, text: String) throws {
        let outcome = try probe("--format", format, "rsa-kx.lab.test", "good.lab.test")
        #expect(outcome.output.contains(text))
        if format == "sarif" { _ = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) }
    }

    @Test("--exceptions prints the cleaned dictionary, which can be read again, and ends with 1 if an entry can go")
    func exceptions() throws {
        let policy = """
            {"NSExceptionDomains": {"rsa-kx.lab.test": {"NSExceptionRequiresForwardSecrecy": false},
            "good.lab.test": {"NSExceptionRequiresForwardSecrecy": false}}}
            """
        let path = try folder.write(policy, to: "policy.json")
        let outcome = try probe("--exceptions", "--policy", path)
        #expect(outcome.status == 1)
        #expect(outcome.prose.contains("good.lab.test    no"))
        let cleaned = try folder.write(outcome.output, to: "cleaned.plist")
        #expect(!folder.read("cleaned.plist").contains("<key>good.lab.test</key>"))
        #expect(try probe("--exceptions", "--policy", cleaned).status == 0)
    }
}

import Foundation
import Processes
import Testing

/// `atsgate mcp` as an agent uses it.
@Suite("coding agents", .timeLimit(.minutes(5)))
struct MCPTests {
    private static let dictionary = #"{"NSAppTransportSecurity":{"NSAllowsArbitraryLoads":true}}"#

    private func client(_ words: [String] = []) throws -> AgentClient {
        let folder = try Folder()
        try folder.write(Self.dictionary, to: "arb.json")
        return try AgentClient(in: folder, words)
    }

    @Test("the tools have the options of their commands, and none that writes a file")
    func schemas() throws {
        let client = try client()
        let tools = try #require(try client.ask("tools/list")["tools"] as? [[String: Any]])
        #expect(
            tools.compactMap { $0["name"] as? String } == [
                "lint", "explain", "audit", "probe", "report", "replay", "suggest", "verify",
            ])
        for tool in tools {
            let schema = try #require(tool["inputSchema"] as? [String: Any])
            let properties = try #require(schema["properties"] as? [String: [String: Any]])
            #expect(schema["additionalProperties"] as? Bool == false)
            #expect(properties.count >= 6, "\(tool["name"] ?? "")")
            for (name, property) in properties {
                #expect(!["output", "write_baseline", "json", "config", "client_cert", "input"].contains(name))
                #expect((property["description"] as? String)?.isEmpty == false, "\(name)")
            }
        }
        let lint = try #require((tools[0]["inputSchema"] as? [String: Any])?["properties"] as? [String: [String: Any]])
        #expect(lint["fail_on"]?["enum"] as? [String] == ["error", "warning", "note", "none"])
        #expect(lint["strict"]?["type"] as? String == "boolean" && lint["paths"]?["type"] as? String == "array")
        let needed = tools.map { ($0["inputSchema"] as? [String: Any])?["required"] as? [String] ?? [] }
        #expect(needed[2] == ["path"] && needed[7] == ["expect"])
        #expect(try client.end() == 0)
    }

    @Test("lint and explain answer with the JSON of their commands")
    func answers() throws {
        let client = try client()
        let (lint, isError) = try client.call("lint", ["paths": ["arb.json"], "fail_on": "warning"])
        #expect(!isError && lint["exitCode"] as? Int == 1)
        let report = try #require((lint["output"] as? [[String: Any]])?.first)
        #expect("\(report)".contains("lint.arbitrary-loads"))
        let (audit, _) = try client.call("audit", ["path": "arb.json"])
        #expect((audit["output"] as? [[String: Any]])?.first?["grade"] as? String == "F", "\(audit)")
        let (explain, _) = try client.call("explain", ["subjects": ["-9802", "http://a.test/", "-1200 [3:-9858]"]])
        #expect((explain["output"] as? [Any])?.count == 3 && explain["exitCode"] as? Int == 1)
        let (topic, _) = try client.call("explain", ["subjects": ["law/tls"]])
        #expect("\(topic["output"] ?? "")".contains("topic"))
    }

    @Test("recorded loads are reported, judged again, and suggested from")
    func recordings() throws {
        let folder = try Folder()
        try folder.write(Self.dictionary, to: "arb.json")
        let run = try Binary.run(
            ["run", "--no-parent", "*", "--", "curl", "-s", "-A", "MyApp/1 CFNetwork/1 Darwin/25", "http://a.test/"],
            in: folder)
        #expect([1, 22].contains(run.status), "\(run.prose)")
        let client = try AgentClient(in: folder)
        let (report, _) = try client.call("report", ["app": ["MyApp"], "verdict": ["blocked"]])
        #expect("\(report["output"] ?? "")".contains("ats.cleartext-load"), "\(report)")
        let (none, _) = try client.call("report", ["app": ["Other"]])
        #expect(none["exitCode"] as? Int == 3)
        let (byApp, _) = try client.call("report", ["by": "app"])
        #expect("\(byApp["output"] ?? "")".contains("MyApp"), "\(byApp)")
        let (replay, _) = try client.call("replay", ["policy": "arb.json", "os": ["ios26", "ios17"]])
        #expect((replay["output"] as? [Any])?.count == 2, "\(replay)")
        let (suggest, _) = try client.call("suggest", ["app": ["myapp"]])
        #expect("\(suggest["output"] ?? "")".contains("a.test"), "\(suggest)")
        for (expected, code) in [("blocked", 0), ("none", 1)] {
            let (verify, _) = try client.call("verify", ["host": ["a.test"], "expect": expected, "within": "500ms"])
            #expect(verify["exitCode"] as? Int == code, "\(verify)")
        }
        let (unsaid, isError) = try client.call("verify", ["host": ["a.test"]])
        #expect(isError && unsaid["meaning"] as? String == "expect is missing", "\(unsaid)")
    }

    @Test("paths outside of the folders, also by links, get the same error as missing ones")
    func outside() throws {
        let client = try client()
        let other = try Folder()
        try other.write(Self.dictionary, to: "secret.json")
        let link = client.folder.path("link.json")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other.path("secret.json"))
        let sibling = client.folder.path("") + "/../" + other.url.lastPathComponent + "/secret.json"
        for path in [other.path("secret.json"), "link.json", link, sibling, "missing.json", "/etc/passwd", "-"] {
            let (content, isError) = try client.call("lint", ["paths": [path]])
            #expect(isError && content["exitCode"] is NSNull, "\(path)")
            #expect((content["meaning"] as? String)?.contains("does not exist in the folders") == true, "\(path)")
        }
        for (tool, arguments) in [
            ("explain", ["policy": "/etc/passwd", "subjects": ["https://a.test/"]] as [String: Any]),
            ("report", ["store": "/etc/passwd"]), ("probe", ["targets": ["a.test"], "roots": ["/etc/passwd"]]),
        ] {
            #expect(try client.call(tool, arguments).isError, "\(tool)")
        }
        let wider = try AgentClient(in: client.folder, ["--root", other.path("")])
        #expect(try !wider.call("lint", ["paths": [other.path("secret.json"), "link.json"]]).isError)
    }

    @Test("values cannot become options or other commands")
    func injected() throws {
        let client = try client()
        let marker = client.folder.path("written")
        for arguments in [
            ["paths": ["--output=\(marker)", "arb.json"]], ["paths": ["arb.json"], "os": "ios17 --output=\(marker)"],
            ["paths": ["arb.json"], "output": marker], ["paths": ["arb.json"], "write_baseline": marker],
            ["paths": ["arb.json"], "exclude": ["x", "--write-baseline", marker]],
        ] as [[String: Any]] {
            _ = try client.call("lint", arguments)
            #expect(!FileManager.default.fileExists(atPath: marker), "\(arguments)")
        }
        _ = try client.call("explain", ["subjects": ["--help", "-"]])
    }

    @Test(
        "a wrong argument is an answer that names it",
        arguments: [
            (#"{"paths":"arb.json"}"#, "paths must be an array"), (#"{}"#, "wrong arguments"),
            (#"{"paths":["arb.json"],"strict":"yes"}"#, "strict must be true or false"),
            (#"{"paths":["arb.json"],"fale_on":"note"}"#, "did you mean fail_on?"),
        ])
    func wrong(arguments: String, words: String) throws {
        let client = try client()
        let given = try #require(
            try JSONSerialization.jsonObject(with: Data(arguments.utf8)) as? [String: Any])
        let (content, isError) = try client.call("lint", given)
        #expect(isError && (content["meaning"] as? String)?.contains(words) == true, "\(content)")
    }

    @Test("a cancelled call is stopped, and others are answered")
    func cancelled() throws {
        let client = try client()
        let silent = try SilentServer()
        let id = try client.send(
            "tools/call", ["name": "probe", "arguments": ["targets": ["127.0.0.1:\(silent.port)"], "timeout": "10m"]])
        silent.waitForConnection()
        try client.send("notifications/cancelled", ["requestId": id], isNotification: true)
        #expect(try client.ask("ping").isEmpty)
        silent.waitForEnd()
    }

    @Test("a call ends at the time limit")
    func timeLimit() throws {
        let client = try client(["--timeout", "1s"])
        let silent = try SilentServer()
        let (content, isError) = try client.call(
            "probe", ["targets": ["127.0.0.1:\(silent.port)"], "timeout": "10m"])
        #expect(isError && (content["meaning"] as? String)?.contains("took longer") == true, "\(content)")
    }

    @Test("a message above the limit is refused, and the next one is answered")
    func longMessage() throws {
        let client = try client()
        try client.write(#"{"jsonrpc":"2.0","id":9,"method":""# + String(repeating: "x", count: 2 << 20) + "\"}\n")
        #expect((try client.next()["error"] as? [String: Any])?["code"] as? Int == -32_600)
        #expect(try client.ask("ping").isEmpty)
    }

    @Test("a missing folder is an error")
    func missingRoot() throws {
        let outcome = try Binary.run(["mcp", "--root", "/nowhere"], in: Folder())
        #expect(outcome.status == 65 && outcome.prose.contains("/nowhere is not a folder"))
    }
}

/// A server that accepts connections and sends nothing.
private final class SilentServer {
    let port: Int
    private let listener: Int32
    private var connection: Int32 = -1

    init() throws {
        (listener, port) = try Loopback.listener()
    }

    deinit {
        close(listener)
        if connection >= 0 { close(connection) }
    }

    func waitForConnection() { connection = accept(listener, nil, nil) }

    /// Waits until the client closed its connection.
    func waitForEnd() {
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
    }
}

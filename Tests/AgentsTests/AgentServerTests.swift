import Agents
import Testing
import Text

/// Messages of the Model Context Protocol, and the orders that follow.
@Suite("the server of coding agents")
struct AgentServerTests {
    private func server() -> AgentServer {
        let schema = JSONValue.object([("type", .string("object"))])
        return AgentServer(
            AgentServer.Contents(
                version: "1.2.3", instructions: "Start with explain.",
                tools: [
                    AgentTool(name: "lint", title: "Lint", description: "d", inputSchema: schema, connects: false),
                    AgentTool(name: "probe", title: "Probe", description: "d", inputSchema: schema, connects: true),
                ],
                pages: [AgentPage(name: "law/tls", title: "TLS", size: 6)],
                text: { $0 == "law/tls" ? "# TLS\n" : nil }))
    }

    /// The messages of the orders, as JSON.
    private func sent(_ orders: [AgentServer.Order]) -> [RPCValue] {
        orders.compactMap { order in
            if case .send(let text) = order { RPCValue(json: Array(text.utf8)) } else { nil }
        }
    }

    private func answer(_ server: inout AgentServer, _ message: String) throws -> RPCValue {
        let messages = sent(server.receive(Array(message.utf8)))
        return try #require(messages.count == 1 ? messages.first : nil, "\(messages)")
    }

    private static func request(_ method: String, _ params: String = "{}", id: String = "1") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
    }

    private static let stateless = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#

    @Test(
        "initialize gets the client's revision, or the newest with that method",
        arguments: [
            ("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25"),
        ])
    func versions(asked: String, given: String) throws {
        var server = server()
        let answer = try answer(&server, Self.request("initialize", #"{"protocolVersion":"\#(asked)"}"#))
        let result = try #require(answer["result"])
        #expect(result["protocolVersion"] == .text(given) && result["resultType"] == nil)
        #expect(result["serverInfo"]?["version"] == .text("1.2.3"))
        #expect(result["capabilities"]?["tools"] != nil && result["capabilities"]?["resources"] != nil)
    }

    @Test("a request with its version gets the members of that revision")
    func statelessRequests() throws {
        var server = server()
        let found = try answer(&server, Self.request("server/discover", "{\(Self.stateless)}"))
        #expect(found["result"]?["supportedVersions"] == .list([.text("2026-07-28")]))
        #expect(found["result"]?["resultType"] == .text("complete") && found["result"]?["ttlMs"] != nil)
        let list = try answer(&server, Self.request("tools/list", "{\(Self.stateless)}"))
        #expect(list["result"]?["cacheScope"] == .text("private") && list["result"]?["_meta"] != nil)
        let other = #"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01"}}"#
        let refused = try answer(&server, Self.request("tools/list", other))
        #expect(refused["error"]?["code"] == .integer(-32_022))
        #expect(refused["error"]?["data"]?["requested"] == .text("2030-01-01"))
    }

    @Test("tools are listed as read-only, and only probe connects")
    func tools() throws {
        var server = server()
        let answer = try answer(&server, Self.request("tools/list"))
        guard case .list(let tools)? = answer["result"]?["tools"] else {
            Issue.record("no tools: \(answer)")
            return
        }
        #expect(tools.map { $0["name"] } == [.text("lint"), .text("probe")])
        #expect(tools.allSatisfy { $0["annotations"]?["readOnlyHint"] == .flag(true) })
        #expect(tools.map { $0["annotations"]?["openWorldHint"] } == [.flag(false), .flag(true)])
    }

    @Test("pages are listed and read; an unknown one is an error")
    func pages() throws {
        var server = server()
        let list = try answer(&server, Self.request("resources/list"))
        guard case .list(let pages)? = list["result"]?["resources"] else {
            Issue.record("no resources: \(list)")
            return
        }
        #expect(pages.map { $0["uri"] } == [.text("atsgate://docs/law/tls")])
        let page = try answer(&server, Self.request("resources/read", #"{"uri":"atsgate://docs/law/tls"}"#))
        guard case .list(let contents)? = page["result"]?["contents"] else {
            Issue.record("no contents: \(page)")
            return
        }
        #expect(contents.first?["text"] == .text("# TLS\n"))
        for uri in ["atsgate://docs/none", "file:///etc/passwd", "atsgate://docs/../../etc/passwd"] {
            let answer = try answer(&server, Self.request("resources/read", #"{"uri":"\#(uri)"}"#))
            #expect(answer["error"]?["code"] == .integer(-32_602))
        }
    }

    @Test("a call runs the tool, and its answer has the id")
    func call() throws {
        var server = server()
        let orders = server.receive(Array(Self.request("tools/call", #"{"name":"lint","arguments":{"a":["b"]}}"#).utf8))
        guard case .run(let id, "lint", let arguments)? = orders.first, orders.count == 1 else {
            Issue.record("\(orders)")
            return
        }
        #expect(arguments == ["a": .list([.text("b")])])
        let given = ToolAnswer(exitCode: 1, meaning: "findings", output: [.integer(7)], messages: ["one line"])
        let answer = try #require(sent(server.finished(id, given)).first)
        #expect(answer["id"] == .integer(1) && answer["result"]?["isError"] == .flag(false))
        #expect(answer["result"]?["structuredContent"]?["output"] == .list([.integer(7)]))
        #expect(server.finished(id, given).isEmpty)
    }

    @Test("a cancelled call is stopped and gets no answer; one that waits is dropped")
    func cancelled() throws {
        var server = server()
        for id in 1...5 {
            _ = server.receive(Array(Self.request("tools/call", #"{"name":"lint"}"#, id: "\(id)").utf8))
        }
        func cancel(_ id: Int) -> [AgentServer.Order] {
            server.receive(
                Array(
                    #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#.utf8))
        }
        // Four run, the fifth waits.
        #expect(cancel(5).isEmpty)
        guard case .stop(let id)? = cancel(2).first else {
            Issue.record("not stopped")
            return
        }
        #expect(server.finished(id, ToolAnswer(exitCode: 0, meaning: "clean")).isEmpty)
        #expect(cancel(2).isEmpty && cancel(9).isEmpty)
    }

    @Test("a waiting call starts when another ends")
    func waiting() {
        var server = server()
        var running: [RPCID] = []
        func note(_ orders: [AgentServer.Order]) {
            for case .run(let id, _, _) in orders { running.append(id) }
        }
        for id in 1...6 {
            note(server.receive(Array(Self.request("tools/call", #"{"name":"lint"}"#, id: "\"\(id)\"").utf8)))
        }
        #expect(running.count == 4)
        note(server.finished(running[0], ToolAnswer(exitCode: 0, meaning: "clean")))
        #expect(running == (1...5).map { .text("\($0)") })
    }

    @Test("progress is sent only to a client that gave a token, and only grows")
    func progress() throws {
        var server = server()
        let orders = server.receive(
            Array(Self.request("tools/call", #"{"name":"probe","_meta":{"progressToken":"t"}}"#).utf8))
        #expect(sent(orders).first?["params"]?["progress"] == .integer(0))
        let steps = [2, 2, 1, 3].map { sent(server.progressed(.number(1), steps: $0)).first?["params"]?["progress"] }
        #expect(steps == [.integer(2), nil, nil, .integer(3)])
        _ = server.receive(Array(Self.request("tools/call", #"{"name":"lint"}"#, id: "2").utf8))
        #expect(server.progressed(.number(2), steps: 5).isEmpty)
    }

    private static let invalid: [(String, Int64)] = [
        ("{", -32_700), ("[1", -32_700), ("\u{0}", -32_700), ("[]", -32_600), ("7", -32_600),
        (#"{"id":1,"method":"ping"}"#, -32_600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32_600), (#"{"jsonrpc":"2.0","id":1}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32_600),
        (request("prompts/list"), -32_601), (request("tools/call", #"{"name":"rm"}"#), -32_602),
        (request("tools/call", #"{"name":"lint","arguments":[]}"#), -32_602), (request("initialize"), -32_602),
    ]

    @Test(
        "messages that are not requests get the errors of JSON-RPC",
        arguments: Self.invalid)
    func errors(message: String, code: Int64) throws {
        var server = server()
        #expect(try answer(&server, message)["error"]?["code"] == .integer(code))
    }

    @Test(
        "notifications and responses get no answer",
        arguments: [
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","method":"unknown"}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}"#,
        ])
    func silence(message: String) {
        var server = server()
        #expect(server.receive(Array(message.utf8)).isEmpty)
    }

    @Test("an id may not be used twice at a time, and too many calls are refused")
    func limits() throws {
        var server = server()
        let call = Self.request("tools/call", #"{"name":"lint"}"#)
        _ = server.receive(Array(call.utf8))
        #expect(try answer(&server, call)["error"]?["code"] == .integer(-32_600))
        var codes: [RPCValue?] = []
        for id in 2...80 {
            let orders = server.receive(Array(Self.request("tools/call", #"{"name":"lint"}"#, id: "\(id)").utf8))
            codes += sent(orders).map { $0["error"]?["code"] }
        }
        #expect(codes.count == 12 && codes.allSatisfy { $0 == .integer(-32_000) })
    }
}

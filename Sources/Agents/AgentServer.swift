import Text

/// A server of the Model Context Protocol, without input, output or processes: messages in, orders out.
///
/// Speaks the revision 2026-07-28, whose requests carry their version themselves, and the revisions before it, which
/// begin with `initialize`. Source: Model Context Protocol, revisions 2024-11-05 to 2026-07-28, schema and basic
/// protocol.
public struct AgentServer: Sendable {
    /// An order for the server's owner. Orders are executed in sequence.
    public enum Order: Sendable {
        /// Write this message as a line.
        case send(String)
        /// Run a tool, and report with ``finished(_:_:)``.
        case run(RPCID, tool: String, arguments: [String: RPCValue])
        /// Stop the tool of that request; its answer is not needed.
        case stop(RPCID)
    }

    /// The descriptions of this server.
    public struct Contents: Sendable {
        public var version: String
        /// Advice for the client's model.
        public var instructions: String
        public var tools: [AgentTool]
        public var pages: [AgentPage]
        /// The text of a page, or of a section of one; nil if there is none.
        public var text: @Sendable (String) -> String?

        public init(
            version: String, instructions: String, tools: [AgentTool], pages: [AgentPage],
            text: @escaping @Sendable (String) -> String?
        ) {
            self.version = version
            self.instructions = instructions
            self.tools = tools
            self.pages = pages
            self.text = text
        }
    }

    /// A call that was accepted.
    private struct Call {
        let tool: String
        let arguments: [String: RPCValue]
        let progressToken: RPCValue?
        let isStateless: Bool
        var isRunning = false
        /// The last progress that was sent.
        var steps = -1
    }

    private let contents: Contents
    private var calls: [RPCID: Call] = [:]
    /// The calls that wait, in order of arrival.
    private var waiting: [RPCID] = []

    public init(_ contents: Contents) {
        self.contents = contents
    }

    // MARK: Messages

    /// Handles a message of the client.
    public mutating func receive(_ line: [UInt8]) -> [Order] {
        switch RPCMessage(line) {
        case .invalid(let id, let error): return [Self.failed(id, error)]
        case .response: return []
        case .notification(let method, let params):
            guard method == "notifications/cancelled", let id = params["requestId"].flatMap(RPCID.init) else {
                return []
            }
            return cancel(id)
        case .request(let id, let method, let params):
            do throws(RPCError) {
                return try answer(id, method, params)
            } catch {
                return [Self.failed(id, error)]
            }
        }
    }

    /// Answers a line above the limit.
    public func refusal(ofLineAbove limit: Int) -> Order {
        Self.failed(nil, RPCError(.invalidRequest, "a message has at most \(limit) bytes"))
    }

    private mutating func answer(
        _ id: RPCID, _ method: String, _ params: RPCValue
    ) throws(RPCError) -> [Order] {
        guard calls[id] == nil else { throw RPCError(.invalidRequest, "a call with this id is running") }
        let isStateless = try Self.isStateless(params)
        func result(_ members: [Member], isCacheable: Bool = true) -> [Order] {
            [response(id, members, isStateless: isStateless, isCacheable: isCacheable)]
        }
        switch method {
        case "initialize": return [response(id, try greeting(params), isStateless: false, isCacheable: false)]
        case "server/discover": return result(discovery)
        case "ping": return result([], isCacheable: false)
        case "tools/list": return result([("tools", .array(contents.tools.map(\.json)))])
        case "tools/call": return try call(id, params, isStateless: isStateless)
        case "resources/list": return result([("resources", .array(contents.pages.map(\.json)))])
        case "resources/templates/list": return result([("resourceTemplates", .array([Self.template]))])
        case "resources/read": return result([("contents", .array([try page(params)]))])
        default: throw RPCError(.methodNotFound, "unknown method \(method)")
        }
    }

    // MARK: Versions

    /// Newest first. Those before the first have an `initialize` and no version in each request.
    private static let versions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    private static let versionKey = "io.modelcontextprotocol/protocolVersion"

    /// True for a request that carries its version.
    private static func isStateless(_ params: RPCValue) throws(RPCError) -> Bool {
        guard let version = params["_meta"]?[versionKey] else { return false }
        guard version.text == versions[0] else {
            let data = JSONValue.object([
                ("supported", .texts([versions[0]])), ("requested", .string(version.text ?? "")),
            ])
            throw RPCError(.unsupportedVersion, "unsupported protocol version", data: data)
        }
        return true
    }

    private typealias Member = (key: String, value: JSONValue)

    private func greeting(_ params: RPCValue) throws(RPCError) -> [Member] {
        guard let version = params["protocolVersion"]?.text else {
            throw RPCError(.invalidParams, "protocolVersion is missing")
        }
        let handshakes = Self.versions.dropFirst()
        return [
            ("protocolVersion", .string(handshakes.contains(version) ? version : handshakes.first ?? version)),
            ("capabilities", Self.capabilities), ("serverInfo", serverInfo),
            ("instructions", .string(contents.instructions)),
        ]
    }

    private var discovery: [Member] {
        [
            ("supportedVersions", .texts([Self.versions[0]])), ("capabilities", Self.capabilities),
            ("instructions", .string(contents.instructions)),
        ]
    }

    private static let capabilities = JSONValue.object([("tools", .object([])), ("resources", .object([]))])

    private var serverInfo: JSONValue {
        .object([
            ("name", .string("atsgate")), ("title", .string("atsgate")), ("version", .string(contents.version)),
        ])
    }

    // MARK: Pages

    private static let template = JSONValue.object([
        ("uriTemplate", .string(AgentPage.prefix + "{+page}")), ("name", .string("page")),
        ("title", .string("A page, or a section of one: law/tls#versions")), ("mimeType", .string(AgentPage.type)),
    ])

    private func page(_ params: RPCValue) throws(RPCError) -> JSONValue {
        guard let uri = params["uri"]?.text else { throw RPCError(.invalidParams, "uri is missing") }
        guard uri.hasPrefix(AgentPage.prefix), let text = contents.text(String(uri.dropFirst(AgentPage.prefix.count)))
        else {
            throw RPCError(.invalidParams, "unknown resource", data: .object([("uri", .string(uri))]))
        }
        return .object([("uri", .string(uri)), ("mimeType", .string(AgentPage.type)), ("text", .string(text))])
    }

    // MARK: Calls

    private mutating func call(
        _ id: RPCID, _ params: RPCValue, isStateless: Bool
    ) throws(RPCError) -> [Order] {
        guard let name = params["name"]?.text, contents.tools.contains(where: { $0.name == name }) else {
            throw RPCError(.invalidParams, "unknown tool \(params["name"]?.text ?? "")")
        }
        let arguments = params["arguments"] ?? .members([:])
        guard case .members(let arguments) = arguments else {
            throw RPCError(.invalidParams, "arguments must be an object")
        }
        guard waiting.count < Self.mostWaiting else { throw RPCError(.busy, "too many calls wait") }
        calls[id] = Call(
            tool: name, arguments: arguments, progressToken: params["_meta"]?["progressToken"],
            isStateless: isStateless)
        waiting.append(id)
        return startWaiting()
    }

    /// Starts calls while there is room.
    private mutating func startWaiting() -> [Order] {
        var orders: [Order] = []
        while let id = waiting.first, calls.values.count(where: \.isRunning) < Self.mostRunning {
            waiting.removeFirst()
            guard let call = calls[id] else { continue }
            calls[id]?.isRunning = true
            orders += progressed(id, steps: 0)
            orders.append(.run(id, tool: call.tool, arguments: call.arguments))
        }
        return orders
    }

    private mutating func cancel(_ id: RPCID) -> [Order] {
        guard let call = calls.removeValue(forKey: id) else { return [] }
        waiting.removeAll { $0 == id }
        return (call.isRunning ? [.stop(id)] : []) + startWaiting()
    }

    /// Reports the number of results that a running tool has written.
    public mutating func progressed(_ id: RPCID, steps: Int) -> [Order] {
        guard let call = calls[id], let token = call.progressToken, steps > call.steps else { return [] }
        calls[id]?.steps = steps
        let params: [Member] = [
            ("progressToken", token.json), ("progress", .number(steps)),
            ("message", .string(steps == 0 ? "started" : "\(steps) \(steps == 1 ? "result" : "results")")),
        ]
        return [
            Self.message([("method", .string("notifications/progress")), ("params", .object(params))])
        ]
    }

    /// Reports the answer of a tool. A call that was cancelled gets none.
    public mutating func finished(_ id: RPCID, _ answer: ToolAnswer) -> [Order] {
        guard let call = calls.removeValue(forKey: id) else { return [] }
        let text = JSONValue.object([("type", .string("text")), ("text", .string(answer.json.text))])
        let members: [Member] = [
            ("content", .array([text])), ("structuredContent", answer.json), ("isError", .flag(answer.isError)),
        ]
        return [response(id, members, isStateless: call.isStateless, isCacheable: false)] + startWaiting()
    }

    private static let mostRunning = 4
    private static let mostWaiting = 64

    // MARK: Output

    private func response(_ id: RPCID, _ members: [Member], isStateless: Bool, isCacheable: Bool) -> Order {
        var members = members
        if isStateless {
            members.append(("resultType", .string("complete")))
            if isCacheable { members += [("ttlMs", .number(Self.lifetime)), ("cacheScope", .string("private"))] }
            members.append(("_meta", .object([("io.modelcontextprotocol/serverInfo", serverInfo)])))
        }
        return Self.message([("id", id.json), ("result", .object(members))])
    }

    private static func failed(_ id: RPCID?, _ error: RPCError) -> Order {
        message([("id", id?.json ?? .null), ("error", error.json)])
    }

    private static func message(_ members: [Member]) -> Order {
        .send(JSONValue.object([("jsonrpc", .string("2.0"))] + members).text)
    }

    /// Milliseconds for which lists and pages may be cached: they do not change while the program runs.
    private static let lifetime = 3_600_000
}

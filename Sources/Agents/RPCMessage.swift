import Text

/// A message of the client. Source: JSON-RPC 2.0, sections 4 and 5; Model Context Protocol, basic protocol.
enum RPCMessage {
    case request(RPCID, method: String, params: RPCValue)
    case notification(method: String, params: RPCValue)
    /// A response, although the server sends no requests.
    case response
    /// Not a message; the id is that of the request if it can be read.
    case invalid(RPCID?, RPCError)

    init(_ line: [UInt8]) {
        guard let value = RPCValue(json: line) else {
            self = .invalid(nil, RPCError(.parseError, "the line is not a JSON text in UTF-8"))
            return
        }
        guard case .members(let members) = value else {
            self = .invalid(nil, RPCError(.invalidRequest, "a message is one JSON object; batches are not supported"))
            return
        }
        let id = members["id"].flatMap(RPCID.init)
        guard members["jsonrpc"] == .text("2.0") else {
            self = .invalid(id, RPCError(.invalidRequest, "jsonrpc must be \"2.0\""))
            return
        }
        guard let method = members["method"] else {
            let isResponse = members["result"] != nil || members["error"] != nil
            self = isResponse ? .response : .invalid(id, RPCError(.invalidRequest, "method is missing"))
            return
        }
        let params = members["params"] ?? .members([:])
        guard let method = method.text, case .members = params else {
            self = .invalid(id, RPCError(.invalidRequest, "method must be a string, and params an object"))
            return
        }
        if members["id"] == nil {
            self = .notification(method: method, params: params)
        } else if let id {
            self = .request(id, method: method, params: params)
        } else {
            self = .invalid(nil, RPCError(.invalidRequest, "id must be a string or an integer"))
        }
    }
}

/// The id of a request.
public enum RPCID: Sendable, Hashable {
    case text(String)
    case number(Int64)

    init?(_ value: RPCValue) {
        switch value {
        case .text(let text): self = .text(text)
        case .integer(let number): self = .number(number)
        case .null, .flag, .real, .list, .members: return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): .number(Int(number))
        }
    }
}

/// The error of a response. Source: JSON-RPC 2.0, section 5.1; Model Context Protocol 2026-07-28, schema.
struct RPCError: Error {
    enum Code: Int {
        case parseError = -32_700
        case invalidRequest = -32_600
        case methodNotFound = -32_601
        case invalidParams = -32_602
        /// The version of a request is not supported.
        case unsupportedVersion = -32_022
        /// This server's own: too many calls wait.
        case busy = -32_000
    }

    let code: Code
    let message: String
    let data: JSONValue?

    init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    var json: JSONValue {
        .object(
            [("code", .number(code.rawValue)), ("message", .string(message))] + (data.map { [("data", $0)] } ?? []))
    }
}

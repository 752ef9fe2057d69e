import Foundation
import Processes
import Testing

/// A client of `atsgate mcp`, over the pipes of a real process.
final class AgentClient {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()
    private var number = 0
    let folder: Folder

    init(in folder: Folder, _ words: [String] = []) throws {
        self.folder = folder
        process.executableURL = URL(filePath: Binary.path)
        process.arguments = ["mcp"] + words
        process.currentDirectoryURL = folder.url
        var environment = ProcessInfo.processInfo.environment
        environment["XDG_DATA_HOME"] = folder.path("data")
        environment["HOME"] = folder.path("home")
        process.environment = environment
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        if process.isRunning { process.terminate() }
    }

    /// Sends a request without waiting.
    ///
    /// - Returns: its id.
    @discardableResult
    func send(_ method: String, _ params: [String: Any] = [:], isNotification: Bool = false) throws -> Int {
        number += 1
        var message: [String: Any] = ["jsonrpc": "2.0", "method": method, "params": params]
        if !isNotification { message["id"] = number }
        try write(String(decoding: JSONSerialization.data(withJSONObject: message), as: UTF8.self) + "\n")
        return number
    }

    func write(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    /// The next message.
    func next() throws -> [String: Any] {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = unread[..<end]
                unread = Data(unread[unread.index(after: end)...])
                return try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            }
            let bytes = output.fileHandleForReading.availableData
            try #require(!bytes.isEmpty, "the server closed its side")
            unread += bytes
        }
    }

    /// The result of a request, if its answer is the next message.
    func ask(_ method: String, _ params: [String: Any] = [:]) throws -> [String: Any] {
        let id = try send(method, params)
        let answer = try next()
        try #require(answer["id"] as? Int == id, "\(answer)")
        return try #require(answer["result"] as? [String: Any], "\(answer)")
    }

    /// The content of a tool's answer, and whether it is an error.
    func call(_ tool: String, _ arguments: [String: Any]) throws -> (content: [String: Any], isError: Bool) {
        let result = try ask("tools/call", ["name": tool, "arguments": arguments])
        let content = try #require(result["structuredContent"] as? [String: Any])
        return (content, try #require(result["isError"] as? Bool))
    }

    /// Closes the input; returns the exit code.
    func end() throws -> Int32 {
        try input.fileHandleForWriting.close()
        process.waitForEnd()
        return process.terminationStatus
    }
}

import Foundation
import Processes

/// Runs the built command at a terminal made by `script` of util-linux or macOS. Both streams go to the terminal.
enum Terminal {
    /// Runs to the end.
    ///
    /// - Parameter answering: The user's input, without the line's end.
    static func run(
        _ arguments: [String], answering: String = "", in folder: Folder, environment: [String: String] = [:]
    ) throws -> Binary.Outcome {
        let command = ([Binary.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
        return try run(command: command, answering: answering, in: folder, environment: environment)
    }

    /// Runs a shell command at a terminal.
    static func run(
        command: String, answering: String = "", in folder: Folder, environment: [String: String] = [:]
    ) throws -> Binary.Outcome {
        #if os(Linux)
        let words = ["script", "-qec", command, "/dev/null"]
        #else
        let words = ["script", "-q", "/dev/null", "sh", "-c", command]
        #endif
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = folder.url
        let name = UUID().uuidString
        let output = folder.url.appending(path: name + ".out")
        let input = Pipe()
        try Data().write(to: output)
        var variables = ProcessInfo.processInfo.environment
        variables["XDG_DATA_HOME"] = folder.path("data")
        variables["HOME"] = folder.path("home")
        variables["TERM"] = "xterm"
        variables["NO_COLOR"] = nil
        process.environment = variables.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.begin()
        // Stays open, because at the end of its input `script` waits two seconds for readers (util-linux 2.38).
        try input.fileHandleForWriting.write(contentsOf: Data((answering + "\n").utf8))
        process.waitForEnd()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        return Binary.Outcome(status: process.terminationStatus, output: text.replacing("\r\n", with: "\n"), prose: "")
    }
}

import Agents
import ArgumentParser
import Foundation
import Topics

/// Serves tools for coding agents.
struct MCPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serves coding agents (Model Context Protocol).",
        discussion: """
            An agent starts this command and uses its standard input and output. The tools only read; their arguments \
            are the options of the commands with those names. Paths are limited to the working folder and --root; links \
            are resolved first. probe, and audit with its argument probe, connect to the servers that the agent names. \
            atsgate explain agents shows how to configure agents.

            Exit code: 0 when the agent closes its side; 65 for a folder that does not exist.
            """)

    @Option(
        name: .customLong("root"),
        help: ArgumentHelp(
            "Another folder whose files the tools may read, in addition to the working folder.", valueName: "folder"),
        completion: .directory)
    var roots: [String] = []

    @Option(
        help: ArgumentHelp("Limit for one call: 30s, 5m, 1h.", valueName: "time"), transform: { try TimeSpan($0) })
    var timeout = TimeSpan(.seconds(600))

    func run() throws {
        // Writing to a client that has ended must fail, not end this process.
        signal(SIGPIPE, SIG_IGN)
        let folders = try AllowedFolders([FileManager.default.currentDirectoryPath] + roots)
        let tools = AgentTools.all
        let server = AgentServer(
            AgentServer.Contents(
                version: toolVersion, instructions: AgentTools.instructions, tools: tools.map(\.tool),
                pages: AgentTools.pages, text: { Topic($0)?.text }))
        var limits = ToolProcess.Limits()
        limits.duration = timeout.duration
        AgentSession(
            server, tools: tools, in: folders, limits: limits, output: Output(descriptor: STDOUT_FILENO)
        ).serve(STDIN_FILENO)
    }
}

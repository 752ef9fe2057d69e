import ArgumentParser
import Foundation
import PostgresServer

/// A server for measuring shared stores.
struct ServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server", abstract: "Starts a PostgreSQL server, with TLS, until its standard input ends.",
        discussion: """
            The server has its own folder, certificate and free port, and every commit is on disk before it is answered. \
            Prints a line NAME=VALUE for each connection parameter, then "ready". Then it reads commands: hold stops all \
            of its processes, go resumes them; each is printed once it is done.
            """)

    func run() throws {
        let server = try PostgresServer(options: Self.settings)
        let facts = [
            ("port", "\(server.port)"), ("folder", server.folder.path), ("programs", server.programs),
            ("password", PostgresServer.password),
        ]
        for (name, value) in facts { say("\(name)=\(value)") }
        say("ready")
        while let word = readLine() {
            switch word {
            case "hold": server.suspend()
            case "go": server.resume()
            default: throw ValidationError("hold or go, not \(word)")
            }
            say(word)
        }
        server.stop(.immediate)
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Settings for a small machine that does little else. docs/fleet.md has figures with them.
    private static let settings = ["shared_buffers = 512MB", "max_wal_size = 4GB"]
}

import ArgumentParser
import Foundation
import PostgresServer

/// A server for measuring shared stores, as long as somebody wants it.
struct ServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server", abstract: "Starts a server of PostgreSQL, with TLS, until its standard input ends.",
        discussion: """
            It has a folder, a certificate and a free port of its own, and every commit is on the disk before it is \
            answered. Prints a line NAME=VALUE for each thing that reaches it, then "ready". Then it reads words: hold has \
            all of its processes stand still, go has them go on; each is repeated once it is done.
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

    /// Of a small machine that does little else: docs/fleet.md tells figures with them.
    private static let settings = ["shared_buffers = 512MB", "max_wal_size = 4GB"]
}

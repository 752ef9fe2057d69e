import Foundation
import Processes

/// The folder of a server, accessible only to the server's user and the user of the tests.
public final class ServerFolder: Sendable {
    public let path: String
    private let owner: uid_t?
    private let group: gid_t?

    init(for system: ServerSystem) throws {
        (owner, group) = (system.user?.id, system.user?.group)
        // Short, because the path of a socket has about a hundred characters at most.
        let name = "pg-" + String(UInt32.random(in: 0...UInt32.max), radix: 36)
        path = FileManager.default.temporaryDirectory.appending(path: name).path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try give(path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public func path(_ name: String) -> String { path + "/" + name }

    /// The content of a file; empty if the file does not exist.
    public func read(_ name: String) -> String {
        (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
    }

    /// - Parameter isOurs: True if the tests read it, and not the server.
    func write(_ text: String, to name: String, mode: Int = 0o600, isOurs: Bool = false) throws {
        guard
            FileManager.default.createFile(
                atPath: path(name), contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        else { throw TestFailure(description: "\(path(name)) could not be written") }
        if !isOurs { try give(path(name)) }
    }

    func append(_ text: String, to name: String) throws {
        try write(read(name) + text, to: name)
    }

    /// Makes the server's user the owner of a file.
    func give(_ path: String) throws {
        guard let owner, let group else { return }
        guard chown(path, owner, group) == 0 else { throw TestFailure(description: "\(path): chown failed") }
    }

    func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path(name)) }
}

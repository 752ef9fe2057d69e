import Foundation
import Processes
import TestSupport

/// Another machine on the same wire: a network namespace with a virtual cable to this one. Linux, and as root.
final class Neighbour {
    /// The address of this machine on that cable.
    let gateAddress: String
    private let name: String
    private let folder: Folder

    /// True if the system allows one.
    static let isPossible = (try? Neighbour()) != nil

    init() throws {
        let number = Int(ProcessInfo.processInfo.processIdentifier) % 60_000
        name = "atsgate\(number)"
        gateAddress = "10.213.\(number % 250).1"
        folder = try Folder()
        try Self.ip("netns", "add", name, in: folder)
        do {
            try Self.ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name, in: folder)
            try Self.ip("address", "add", gateAddress + "/24", "dev", name, in: folder)
            try Self.ip("link", "set", name, "up", in: folder)
            let inside = ["netns", "exec", name, "ip"]
            let own = gateAddress.dropLast() + "2/24"
            try Self.ip(inside + ["address", "add", String(own), "dev", "eth0"], in: folder)
            try Self.ip(inside + ["link", "set", "eth0", "up"], in: folder)
            try Self.ip(inside + ["link", "set", "lo", "up"], in: folder)
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    /// Runs a program in the namespace, and returns its output.
    func run(_ words: String...) throws -> String { try run(words) }

    func run(_ words: [String]) throws -> String {
        let program = try Program(
            path: "/usr/bin/env", [Self.path, "ip", "netns", "exec", name] + words, in: folder)
        program.wait()
        return program.written
    }

    private func remove() {
        try? Self.ip("netns", "del", name, in: folder)
        // Removed with the namespace, but later. The next one may need the name.
        try? Self.ip("link", "del", name, in: folder)
    }

    private static func ip(_ words: String..., in folder: Folder) throws {
        try ip(words, in: folder)
    }

    private static func ip(_ words: [String], in folder: Folder) throws {
        let program = try Program(
            path: "/usr/bin/env", [path, "ip"] + words, in: folder)
        guard program.wait() == 0 else { throw TestFailure(description: "ip \(words): \(program.said)") }
    }

    /// On Debian only root's path contains ip(8).
    private static let path = "PATH=/usr/sbin:/sbin:/usr/bin:/bin"
}

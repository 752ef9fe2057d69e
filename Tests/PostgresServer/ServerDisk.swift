import Foundation
import Processes

/// A disk in memory for one server, which can be made full. Only root on Linux can mount one.
public final class ServerDisk {
    private let path: String

    /// The reason why there is no disk.
    public struct Refusal: Error, CustomStringConvertible {
        public let description: String
    }

    /// - Parameter path: The path of a folder that does not exist yet.
    /// - Throws: ``Refusal`` if the system does not allow it.
    init(at path: String, for system: ServerSystem) throws {
        self.path = path
        #if os(Linux)
        guard let user = system.user else { throw Refusal(description: "only root may mount one") }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let options = "size=50%,mode=0700,uid=\(user.id),gid=\(user.group)"
        do {
            try Self.mount(["-t", "tmpfs", "-o", options, "tmpfs", path])
        } catch {
            throw Refusal(description: "\(error)")
        }
        #else
        throw Refusal(description: "it needs Linux")
        #endif
    }

    /// Shrinks the disk to its content.
    func fill() throws {
        for _ in 1..<mostTries {
            // The content may have grown in the meantime, and the disk cannot become smaller than it.
            if (try? resize(to: "\(used())")) != nil { return }
        }
        try resize(to: "\(used())")
    }

    /// Restores the full size.
    func empty() throws { try resize(to: "50%") }

    /// Unmounts the disk once it is no longer used.
    func unmount() { try? ServerSystem.run(["umount", "--lazy", path]) }

    private func resize(to size: String) throws { try Self.mount(["-o", "remount,size=\(size)", path]) }

    private static func mount(_ words: [String]) throws { try ServerSystem.run(["mount"] + words) }

    /// The used bytes.
    private func used() throws -> UInt64 {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { throw TestFailure(description: "\(path): statvfs failed") }
        return UInt64(facts.f_blocks - facts.f_bfree) * UInt64(facts.f_frsize)
    }
}

private let mostTries = 50

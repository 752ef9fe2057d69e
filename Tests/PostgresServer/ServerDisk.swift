import Foundation
import Processes

/// A disk for one server, in memory, which can be full. Only root of a Linux may have one.
public final class ServerDisk {
    private let path: String

    /// Why there is none.
    public struct Refusal: Error, CustomStringConvertible {
        public let description: String
    }

    /// - Parameter path: of a folder that is not there yet.
    /// - Throws: ``Refusal`` where the system does not allow it.
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

    /// As small as what is on it.
    func fill() throws {
        for _ in 1..<mostTries {
            // Somebody may have written meanwhile: it does not become smaller than that.
            if (try? resize(to: "\(used())")) != nil { return }
        }
        try resize(to: "\(used())")
    }

    /// Room for everything again.
    func empty() throws { try resize(to: "50%") }

    /// It goes when nobody uses it any more.
    func unmount() { try? ServerSystem.run(["umount", "--lazy", path]) }

    private func resize(to size: String) throws { try Self.mount(["-o", "remount,size=\(size)", path]) }

    private static func mount(_ words: [String]) throws { try ServerSystem.run(["mount"] + words) }

    /// In bytes.
    private func used() throws -> UInt64 {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { throw Trouble(description: "\(path): statvfs failed") }
        return UInt64(facts.f_blocks - facts.f_bfree) * UInt64(facts.f_frsize)
    }
}

private let mostTries = 50

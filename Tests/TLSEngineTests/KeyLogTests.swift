import Foundation
import Synchronization
import TLSEngine
import TestSupport
import Testing

@Suite("key logs")
struct KeyLogTests {
    let folder: Folder

    init() throws { folder = try Folder(isPrivate: true) }

    /// A handshake whose sides both write to `log`, the client's through the gate's own context.
    private func handshake(_ log: KeyLog) throws {
        let world = try World()
        let origin = try Side {
            try TLSMachine.origin(
                try OriginTLSContext(offer: atsOffer, keyLog: log), serverName: "origin.test", alpn: [], outbox: $0)
        }
        let client = try Side { try TLSMachine.client(try ClientTLSContext(keyLog: log), outbox: $0) }
        origin.machine.start()
        carry(origin, client)
        client.machine.finish(leaf: Leaf(identity: try world.leaf()), alpn: nil)
        carry(origin, client)
        #expect(origin.machine.state == .established)
    }

    private func lines(of path: String) throws -> [[Substring]] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { $0.split(separator: " ") }
    }

    @Test("both sides of a handshake append the same secrets to a file that only its owner can read")
    func bothSides() throws {
        let path = folder.path + "/keys.log"
        try handshake(try KeyLog(path: path) { Issue.record("\($0)") })
        #expect(try folder.mode(of: "keys.log") == 0o600)
        let first = try lines(of: path)
        #expect(Set(first.map { $0[0] }).isSuperset(of: ["CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"]))
        #expect(first.allSatisfy { $0.count == 3 && $0[1].count == 64 })
        // Each secret appears twice: once for the context of either side.
        #expect(Dictionary(grouping: first) { $0 }.values.allSatisfy { $0.count == 2 })
        try handshake(try KeyLog(path: path) { Issue.record("\($0)") })
        let second = try lines(of: path)
        #expect(Array(second.prefix(first.count)) == first)
        #expect(second.count == 2 * first.count)
    }

    @Test("a file that others can access is refused and left unchanged", arguments: [0o644, 0o640, 0o602])
    func exposed(mode: Int) throws {
        let path = folder.path + "/keys.log"
        try Data("there\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let error = #expect(throws: KeyLogError.self) { _ = try KeyLog(path: path) { _ in } }
        #expect(error?.isExposed == true)
        #expect(error?.description.contains("chmod 600") == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "there\n")
    }

    @Test("a file that cannot be opened causes an error with its name")
    func unwritable() {
        #expect(throws: KeyLogError(path: "/nowhere/keys.log", errno: ENOENT)) {
            _ = try KeyLog(path: "/nowhere/keys.log") { _ in }
        }
    }

    @Test(
        "a full disk is reported once, and the handshake continues",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() throws {
        let told = Mutex<[KeyLogError]>([])
        try handshake(try KeyLog(path: "/dev/full") { error in told.withLock { $0.append(error) } })
        #expect(told.withLock { $0 } == [KeyLogError(path: "/dev/full", errno: ENOSPC)])
    }
}

import Foundation
import Setup
import Testing

@Suite("unsafe journals")
final class JournalTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-journal-\(UUID().uuidString)")
    private var path: String { folder.appending(path: "setup.json").path }
    private let mac = FakeMac()

    init() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let gate = Setup.Proxy(host: "127.0.0.1", port: 9802, services: ["Wi-Fi"])
        _ = try Setup(runner: mac, journal: SetupJournal(path: path)).useProxy(gate, certificate: nil)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Expects that the machine is not changed, and that the error contains `words`.
    private func expectRefusal(_ words: String) {
        let before = mac.now
        let setup = Setup(runner: mac, journal: SetupJournal(path: path))
        for attempt in [{ _ = try setup.recover() }, { _ = try setup.undo([.mac]) }] as [() throws -> Void] {
            let failure = #expect(throws: SetupFailure.self) { try attempt() }
            #expect(failure?.sentence.contains(words) == true, "\(failure?.sentence ?? "")")
        }
        #expect(throws: SetupFailure.self) { try SetupJournal(path: path).titles() }
        #expect(mac.now.proxies == before.proxies)
    }

    @Test("a journal that others can write to is rejected", arguments: [0o620, 0o602, 0o666])
    func writable(mode: Int) {
        chmod(path, mode_t(mode))
        expectRefusal("it is writable by others (mode \(String(mode, radix: 8)))")
        chmod(path, 0o600)
        #expect(throws: Never.self) { try SetupJournal(path: path).titles() }
    }

    @Test("a journal in a folder that others can write to is rejected")
    func writableFolder() {
        chmod(folder.path, 0o777)
        expectRefusal("its folder is writable by others (mode 777)")
    }

    @Test("a journal of another user is rejected", .enabled(if: geteuid() == 0, "only root can change a file's owner"))
    func foreign() {
        chown(path, 12_345, 12_345)
        expectRefusal("it belongs to another user (uid 12345)")
        chown(path, 0, 0)
        chown(folder.path, 12_345, 12_345)
        expectRefusal("its folder belongs to another user (uid 12345)")
    }

    @Test("a link, a pipe or a folder in the journal's place is rejected without waiting")
    func otherThings() throws {
        let other = folder.appending(path: "other.json").path
        try FileManager.default.moveItem(atPath: path, toPath: other)
        symlink(other, path)
        expectRefusal("cannot use the journal")
        unlink(path)
        mkfifo(path, 0o600)
        expectRefusal("it is not a regular file, or too large")
        unlink(path)
        mkdir(path, 0o700)
        expectRefusal("it is not a regular file, or too large")
    }
}

import Foundation
import Setup
import Testing

@Suite("the journal, written by others")
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

    /// Nothing is done to the machine, and the sentence names what is wrong.
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

    @Test("one that others may write to is refused", arguments: [0o620, 0o602, 0o666])
    func writable(mode: Int) {
        chmod(path, mode_t(mode))
        expectRefusal("it can be written to by others (mode \(String(mode, radix: 8)))")
        chmod(path, 0o600)
        #expect(throws: Never.self) { try SetupJournal(path: path).titles() }
    }

    @Test("one in a folder that others may write to is refused")
    func writableFolder() {
        chmod(folder.path, 0o777)
        expectRefusal("its folder can be written to by others (mode 777)")
    }

    @Test("one of another user is refused", .enabled(if: geteuid() == 0, "only root may give a file away"))
    func foreign() {
        chown(path, 12_345, 12_345)
        expectRefusal("it belongs to another user (uid 12345)")
        chown(path, 0, 0)
        chown(folder.path, 12_345, 12_345)
        expectRefusal("its folder belongs to another user (uid 12345)")
    }

    @Test("a link, a pipe and a folder of its name are refused at once")
    func otherThings() throws {
        let other = folder.appending(path: "other.json").path
        try FileManager.default.moveItem(atPath: path, toPath: other)
        symlink(other, path)
        expectRefusal("can not be used")
        unlink(path)
        mkfifo(path, 0o600)
        expectRefusal("it is no file that atsgate writes")
        unlink(path)
        mkdir(path, 0o700)
        expectRefusal("it is no file that atsgate writes")
    }
}

import Foundation
import Setup
import Synchronization
import Testing

@Suite("setup and undo")
final class SetupTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-setup-\(UUID().uuidString)")
    var path: String { folder.appending(path: "setup.json").path }
    let certificate = (path: "/ca/ca-cert.pem", sha256: FakeMac.certificate)

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    func setup(_ mac: FakeMac) -> Setup { Setup(runner: mac, journal: SetupJournal(path: path)) }

    func gate(_ services: String...) -> Setup.Proxy {
        Setup.Proxy(host: "127.0.0.1", port: 9802, services: services)
    }

    func expect(_ state: FakeMac.State, sameAs other: FakeMac.State, _ note: String = "") {
        // A server that was never set can be turned off, but its text cannot be removed.
        func shown(_ state: FakeMac.State) -> [String: ProxySetting] {
            state.proxies.mapValues { $0.isOn || $0.server != "127.0.0.1" ? $0 : ProxySetting(isOn: false, server: "") }
        }
        #expect(shown(state) == shown(other), "\(note)")
        #expect(state.trusting == other.trusting, "\(note)")
        #expect(state.trustsInKeychain == other.trustsInKeychain, "\(note)")
    }

    @Test("setup makes the gate the proxy of the default service, turns automatic settings off, and trusts the CA")
    func mac() throws {
        let mac = FakeMac()
        let done = try setup(mac).useProxy(gate(), certificate: certificate)
        #expect(mac.now.proxies["web Wi-Fi"] == ProxySetting(isOn: true, server: "127.0.0.1", port: 9802))
        #expect(mac.now.proxies["secure Wi-Fi"] == ProxySetting(isOn: true, server: "127.0.0.1", port: 9802))
        #expect(mac.now.proxies["auto Wi-Fi"]?.isOn == false)
        #expect(mac.now.trustsInKeychain)
        #expect(done.count == 4)
        #expect(done.first == "web proxy of Wi-Fi: 127.0.0.1:9802")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        // A second run changes nothing and adds nothing to the journal.
        #expect(try setup(mac).useProxy(gate(), certificate: certificate).isEmpty)
        #expect(try setup(mac).undo([.mac]).undone.count == 4)
        expect(mac.now, sameAs: .usual)
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("without a window, where macOS would wait for it without end, the CA is neither trusted nor removed")
    func noWindow() throws {
        var state = FakeMac.State.usual
        state.session = "Background"
        let mac = FakeMac(state)
        #expect(throws: SetupFailure.noWindow) { try setup(mac).useProxy(gate(), certificate: certificate) }
        expect(mac.now, sameAs: .usual)
        #expect(SetupJournal(path: path).isEmpty)
        #expect(try setup(mac).useProxy(gate(), certificate: nil).count == 3)
        let desktop = FakeMac()
        _ = try setup(desktop).useProxy(gate(), certificate: certificate)
        var far = desktop.now
        far.session = "Background"
        let remote = FakeMac(far)
        #expect(throws: SetupFailure.noWindow) { try setup(remote).undo([.mac]) }
        #expect(remote.now.trustsInKeychain && !SetupJournal(path: path).isEmpty)
        #expect(try setup(desktop).undo([.mac]).waiting.isEmpty)
    }

    @Test("a dry run lists the same steps, changes nothing and writes no journal")
    func dryRun() throws {
        let mac = FakeMac()
        var looking = setup(mac)
        looking.isDryRun = true
        let listed = try looking.useProxy(gate(), certificate: certificate)
        let simulators = try looking.useSimulators("booted", certificate: certificate, proxy: gate())
        expect(mac.now, sameAs: .usual)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try setup(mac).useSimulators("booted", certificate: certificate, proxy: gate()) == simulators)
        #expect(try setup(mac).undo([.mac, .simulators]).waiting.isEmpty)
        #expect(try setup(FakeMac()).useProxy(gate(), certificate: certificate) == listed)
    }

    @Test("after a kill at any moment, the next start restores everything")
    func killed() throws {
        let moments = Mutex<[(FakeMac.State, Data?)]>([])
        let path = path
        let mac = FakeMac { state in
            moments.withLock { $0.append((state, FileManager.default.contents(atPath: path))) }
        }
        _ = try setup(mac).useProxy(gate(), certificate: certificate)
        let kills = moments.withLock { $0 }
        // After the last change only the end of the setup is written to the journal.
        #expect(kills.count == 4)
        for (index, (state, journal)) in kills.enumerated() {
            try #require(journal).write(to: URL(filePath: path))
            let survivor = FakeMac(state)
            #expect(try !setup(survivor).recover().undone.isEmpty)
            expect(survivor.now, sameAs: .usual, "killed after change \(index)")
            #expect(SetupJournal(path: path).isEmpty)
        }
    }

    @Test("after a kill between the journal entry and the change, the earlier steps are undone")
    func killedBeforeChange() throws {
        let moments = Mutex<[(FakeMac.State, Data?)]>([])
        let path = path
        let mac = FakeMac { state in
            moments.withLock { $0.append((state, FileManager.default.contents(atPath: path))) }
        }
        _ = try setup(mac).useProxy(gate(), certificate: certificate)
        let kills = moments.withLock { $0 }
        for (index, (_, journal)) in kills.enumerated() {
            try #require(journal).write(to: URL(filePath: path))
            let survivor = FakeMac(index == 0 ? .usual : kills[index - 1].0)
            #expect(try setup(survivor).recover().undone.count == index)
            expect(survivor.now, sameAs: .usual, "killed before change \(index)")
        }
    }

    @Test("if a command fails, all changes are undone")
    func failing() throws {
        let mac = FakeMac()
        mac.change { $0.fails = "-setautoproxystate Wi-Fi off" }
        #expect(throws: SetupFailure.self) {
            try setup(mac).useProxy(gate(), certificate: nil)
        }
        expect(mac.now, sameAs: .usual)
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("an undo that was killed can be repeated")
    func undoKilled() throws {
        let mac = FakeMac()
        _ = try setup(mac).useProxy(gate(), certificate: certificate)
        let journal = try #require(FileManager.default.contents(atPath: path))
        let moments = Mutex<[(FakeMac.State, Data?)]>([])
        let path = path
        let dying = FakeMac(mac.now) { state in
            moments.withLock { $0.append((state, FileManager.default.contents(atPath: path) ?? journal)) }
        }
        _ = try setup(dying).undo([.mac])
        for (index, (state, journal)) in moments.withLock({ $0 }).enumerated() {
            try #require(journal).write(to: URL(filePath: path))
            let survivor = FakeMac(state)
            _ = try setup(survivor).undo([.mac])
            expect(survivor.now, sameAs: .usual, "killed after change \(index)")
        }
    }

    @Test("a complete setup survives a start, and settings that were changed later are not touched")
    func lasting() throws {
        let mac = FakeMac()
        _ = try setup(mac).useProxy(gate("Wi-Fi"), certificate: nil)
        #expect(try setup(mac).recover().undone.isEmpty)
        #expect(mac.now.proxies["web Wi-Fi"]?.isOn == true)
        mac.change { $0.proxies["web Wi-Fi"] = ProxySetting(isOn: true, server: "other.example", port: 8080) }
        #expect(try setup(mac).undo([.mac]).undone.count == 2)
        #expect(mac.now.proxies["web Wi-Fi"] == ProxySetting(isOn: true, server: "other.example", port: 8080))
    }

    @Test("an unknown service, or a proxy with a password, is rejected before anything is changed")
    func refused() throws {
        let mac = FakeMac()
        #expect(throws: SetupFailure.unknownService("Ethernet", known: ["USB 10/100/1000 LAN", "Wi-Fi"])) {
            try setup(mac).useProxy(gate("Ethernet"), certificate: nil)
        }
        mac.change {
            $0.answers["networksetup -getsecurewebproxy Wi-Fi"] =
                "Enabled: Yes\nServer: a.example\nPort: 1\nAuthenticated Proxy Enabled: 1\n"
        }
        #expect(throws: SetupFailure.passwordProxy(service: "Wi-Fi")) {
            try setup(mac).useProxy(gate("Wi-Fi"), certificate: nil)
        }
        #expect(mac.now.proxies == FakeMac.State.usual.proxies)
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("if a killed proxy setup is repeated, undo restores the state before the first run")
    func proxyMadeAgain() throws {
        let moments = Mutex<[(FakeMac.State, Data?)]>([])
        let path = path
        let mac = FakeMac { state in
            moments.withLock { $0.append((state, FileManager.default.contents(atPath: path))) }
        }
        _ = try setup(mac).useProxy(gate(), certificate: nil)
        let (state, journal) = try #require(moments.withLock { $0.first })
        try #require(journal).write(to: URL(filePath: path))
        let survivor = FakeMac(state)
        _ = try setup(survivor).useProxy(gate(), certificate: nil)
        #expect(try setup(survivor).recover().undone.isEmpty)
        #expect(survivor.now.proxies["web Wi-Fi"] == ProxySetting(isOn: true, server: "127.0.0.1", port: 9802))
        _ = try setup(survivor).undo([.mac])
        expect(survivor.now, sameAs: .usual)
    }

    @Test("an unreadable journal stops everything, because its steps are unknown")
    func brokenJournal() throws {
        try Data("{".utf8).write(to: URL(filePath: path))
        let mac = FakeMac()
        #expect(throws: SetupFailure.self) { try setup(mac).recover() }
        #expect(throws: SetupFailure.self) {
            try setup(mac).useProxy(gate("Wi-Fi"), certificate: nil)
        }
        #expect(mac.now.proxies == FakeMac.State.usual.proxies)
    }
}

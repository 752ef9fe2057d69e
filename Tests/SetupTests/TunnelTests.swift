import Foundation
import Setup
import Synchronization
import Testing

/// A tunnel has one peer for each device, with keys that only its user can read, and undo removes all of it.
@Suite("setup wireguard")
final class TunnelTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-tunnel-\(UUID().uuidString)")
    private var path: String { folder.appending(path: "setup.json").path }
    private var keys: String { folder.appending(path: "wireguard").path }

    init() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func plan(_ names: [String] = ["phone1", "phone2"]) -> TunnelPlan {
        TunnelPlan(endpoint: ("192.168.1.20", 51_820), names: names, resolvers: ["192.168.1.1"], folder: keys)
    }

    private func setup(_ linux: FakeLinux) -> Setup { Setup(runner: linux, journal: SetupJournal(path: path)) }

    private func files() -> [String: String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: keys)) ?? []
        return names.reduce(into: [:]) { $0[$1] = try? String(contentsOfFile: keys + "/" + $1, encoding: .utf8) }
    }

    @Test("each device has its own key, addresses and listener, and cannot reach other devices")
    func whole() throws {
        let linux = FakeLinux()
        let made = try TunnelSetup(setup(linux)).use(plan())
        #expect(made.done.count == 6)
        #expect(linux.now.tunnels == ["atsgate0": "open-secret1"])
        #expect(linux.now.addresses["atsgate0"]?.first == "10.98.2.1/24")
        let rules = try #require(linux.now.tables["atsgate_wireguard"])
        for part in [
            "ip saddr 10.98.2.2 tcp dport { 80, 443 } redirect to :9911",
            "ip saddr 10.98.2.3 tcp dport { 80, 443 } redirect to :9912",
            "iifname \"atsgate0\" oifname \"atsgate0\" reject with icmpx admin-prohibited",
            "oifname \"atsgate0\" ct state != { established, related } reject",
            "iifname \"atsgate0\" ip daddr 10.98.2.1/24 return",
            "oifname \"atsgate0\" meta l4proto { tcp, udp } ct state new reject",
            "udp dport 443 reject with icmpx port-unreachable",
        ] {
            #expect(rules.contains(part), "\(rules)")
        }
        let first = made.tunnel.listeners(["phone1": "label=phone1,os=ios18"])
        #expect(first.contains("transparent://10.98.2.1:9911,label=phone1,os=ios18,via=wireguard"))
        #expect(first.contains("transparent://10.98.2.1:9912,label=phone2,via=wireguard"))
        _ = try setup(linux).undo([.wireguard])
        #expect(linux.now == .usual)
        #expect(!FileManager.default.fileExists(atPath: keys))
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("a device's configuration has its key, its addresses and the gate's endpoint")
    func configuration() throws {
        _ = try TunnelSetup(setup(FakeLinux())).use(plan())
        let text = try #require(try TunnelSetup.configuration(of: "phone2", in: keys))
        #expect(
            text.hasPrefix(
                """
                [Interface]
                PrivateKey = secret3
                Address = 10.98.2.3/32, fd
                """))
        #expect(
            text.hasSuffix(
                """
                DNS = 192.168.1.1
                MTU = 1280

                [Peer]
                PublicKey = open-secret1
                AllowedIPs = 0.0.0.0/0, ::/0
                Endpoint = 192.168.1.20:51820
                PersistentKeepalive = 25

                """))
        #expect(try TunnelSetup.configuration(of: "phone3", in: keys) == nil)
    }

    @Test("keys are readable only by the user and not in the journal; a key that others can read is rejected")
    func secrets() throws {
        let linux = FakeLinux()
        _ = try TunnelSetup(setup(linux)).use(plan())
        for name in files().keys {
            let attributes = try FileManager.default.attributesOfItem(atPath: keys + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        #expect(try FileManager.default.attributesOfItem(atPath: keys)[.posixPermissions] as? Int == 0o700)
        let journal = try String(contentsOfFile: path, encoding: .utf8)
        for secret in ["\"secret1", "\"secret2", "PrivateKey"] { #expect(!journal.contains(secret)) }
        chmod(keys + "/phone1.key", 0o640)
        let failure = #expect(throws: SetupFailure.self) { try TunnelSetup(setup(linux)).use(plan()) }
        #expect(failure?.sentence.contains("others can read it (mode 640)") == true)
    }

    @Test("keys stay when a device is added, and when setup is undone with --keep-keys")
    func keptKeys() throws {
        let linux = FakeLinux()
        _ = try TunnelSetup(setup(linux)).use(plan(["phone1"]))
        let before = files()
        #expect(try TunnelSetup(setup(linux)).use(plan(["phone1"])).done.isEmpty)
        #expect(try !TunnelSetup(setup(linux)).use(plan()).done.isEmpty)
        #expect(files()["phone1.conf"] == before["phone1.conf"])
        #expect(files().count == before.count + 2)
        var keeping = setup(linux)
        keeping.keepsKeys = true
        _ = try keeping.undo([.wireguard])
        #expect(linux.now == .usual)
        #expect(files()["interface.key"] == before["interface.key"])
        _ = try TunnelSetup(setup(linux)).use(plan())
        #expect(files()["phone1.conf"] == before["phone1.conf"])
        // All keys are deleted, including those of an earlier setup.
        _ = try setup(linux).undo([.wireguard])
        #expect(files().isEmpty)
    }

    @Test("after a kill at any moment, the next start restores everything", arguments: [true, false])
    func killed(hasKernelTunnels: Bool) throws {
        var usual = FakeLinux.State.usual
        usual.hasKernelTunnels = hasKernelTunnels
        let moments = Mutex<[(FakeLinux.State, Data?)]>([])
        let path = path
        let linux = FakeLinux(usual) { state in
            moments.withLock { $0.append((state, FileManager.default.contents(atPath: path))) }
        }
        _ = try TunnelSetup(setup(linux)).use(plan())
        let kills = moments.withLock { $0 }
        #expect(kills.count == 8)
        for (index, (state, journal)) in kills.enumerated() {
            for state in [state, index == 0 ? usual : kills[index - 1].0] {
                try #require(journal).write(to: URL(filePath: path))
                chmod(path, 0o600)
                let survivor = FakeLinux(state)
                _ = try setup(survivor).recover()
                #expect(survivor.now == usual, "killed at change \(index)")
                #expect(files().isEmpty)
                #expect(SetupJournal(path: path).isEmpty)
            }
        }
    }

    @Test("a foreign interface with the same name is neither used nor deleted")
    func foreign() throws {
        let linux = FakeLinux()
        linux.change {
            $0.interfaces.append("atsgate0")
            $0.tunnels["atsgate0"] = "theirs"
        }
        let before = linux.now
        #expect(throws: SetupFailure.foreignInterface("atsgate0")) { try TunnelSetup(setup(linux)).use(plan()) }
        #expect(linux.now == before)
        // A foreign interface that later replaced atsgate's stays when the setup is undone.
        linux.change { $0 = .usual }
        _ = try TunnelSetup(setup(linux)).use(plan())
        linux.change { $0.tunnels["atsgate0"] = "theirs" }
        _ = try setup(linux).undo([.wireguard])
        #expect(linux.now.tunnels == ["atsgate0": "theirs"])
    }

    @Test("without wireguard-go and without WireGuard in the kernel, all changes are undone")
    func missing() throws {
        let linux = FakeLinux()
        linux.change { $0.missing = ["wireguard-go"] }
        #expect(throws: SetupFailure.missing("wireguard-go", package: "wireguard-go")) {
            try TunnelSetup(setup(linux)).use(plan())
        }
        linux.change { $0.missing = [] }
        #expect(linux.now == .usual)
        #expect(files().isEmpty)
    }

    @Test("forwarding for both a gateway and a tunnel is restored with the last of them", arguments: [true, false])
    func shared(isTunnelFirst: Bool) throws {
        let linux = FakeLinux()
        _ = try setup(linux).useGateway(Gateway(interfaces: ["wlan0"], ports: [443], listenPort: 9902))
        _ = try TunnelSetup(setup(linux)).use(plan())
        _ = try setup(linux).undo([isTunnelFirst ? .wireguard : .gateway])
        #expect(linux.now.settings["net/ipv4/ip_forward"] == "1")
        #expect(linux.now.tables.count == 2)
        _ = try setup(linux).undo([isTunnelFirst ? .gateway : .wireguard])
        #expect(linux.now == .usual)
    }

    @Test("devices use the gate for DNS unless resolvers are given")
    func resolvers() throws {
        var plan = plan()
        plan.resolvers = []
        let linux = FakeLinux()
        let made = try TunnelSetup(setup(linux)).use(plan)
        #expect(made.tunnel.names == "10.98.2.1:9853")
        let text = try TunnelSetup.configuration(of: "phone1", in: keys)
        #expect(text?.contains("\nDNS = 10.98.2.1\n") == true)
        let rules = linux.now.tables["atsgate_wireguard"]
        #expect(rules?.contains("ip daddr 10.98.2.1 meta l4proto { tcp, udp } th dport 53 redirect to :9853") == true)
    }

    @Test(
        "the name of a device must be usable in files, rules and labels",
        arguments: [
            ("phone-1_A", true), ("", false), ("interface", false), ("a/b", false), ("a b", false), ("ä", false),
        ])
    func names(name: String, isOne: Bool) { #expect(TunnelPlan.isName(name) == isOne) }
}

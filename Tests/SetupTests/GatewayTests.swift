import Foundation
import Setup
import Synchronization
import Testing

/// A gateway uses its own rules, and undo removes all of them.
@Suite("setup gateway")
final class GatewayTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-gateway-\(UUID().uuidString)")
    private var path: String { folder.appending(path: "setup.json").path }
    private let gateway = Gateway(interfaces: ["wlan0"], ports: [80, 443], listenPort: 9902)

    init() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func setup(_ linux: FakeLinux) -> Setup { Setup(runner: linux, journal: SetupJournal(path: path)) }

    @Test("incoming traffic is redirected to the gate by a separate table, and undo restores the machine")
    func whole() throws {
        let linux = FakeLinux()
        let done = try setup(linux).useGateway(gateway)
        #expect(
            done == [
                "net/ipv4/ip_forward = 1, was 0", "net/ipv6/conf/eth0/accept_ra = 2, was 1",
                "net/ipv6/conf/all/forwarding = 1, was 0",
                "table inet atsgate: TCP 80, 443 from wlan0 to port 9902, UDP 443 rejected",
            ])
        let rules = try #require(linux.now.tables["atsgate"])
        #expect(rules.contains("iifname { \"wlan0\" } tcp dport { 80, 443 } redirect to :9902"))
        #expect(rules.contains("udp dport 443 reject with icmpx port-unreachable"))
        #expect(linux.now.tables["filter"] == FakeLinux.State.usual.tables["filter"])
        // A second run changes nothing and adds nothing to the journal.
        #expect(try setup(linux).useGateway(gateway).isEmpty)
        #expect(try setup(linux).undo([.gateway]).undone.count == 4)
        #expect(linux.now == .usual)
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("another gateway replaces the first, and undo restores the state before both")
    func replaced() throws {
        let linux = FakeLinux()
        _ = try setup(linux).useGateway(gateway)
        let other = Gateway(interfaces: ["eth0", "wlan0"], ports: [443], listenPort: 9000)
        #expect(try setup(linux).useGateway(other).count == 4)
        let rules = try #require(linux.now.tables["atsgate"])
        #expect(rules.contains("{ \"eth0\", \"wlan0\" } tcp dport { 443 } redirect to :9000"))
        _ = try setup(linux).undo([.gateway])
        #expect(linux.now == .usual)
    }

    @Test("after a kill at any moment, the next start restores everything")
    func killed() throws {
        let moments = Mutex<[(FakeLinux.State, Data?)]>([])
        let path = path
        let linux = FakeLinux { state in
            moments.withLock { $0.append((state, FileManager.default.contents(atPath: path))) }
        }
        _ = try setup(linux).useGateway(gateway)
        let kills = moments.withLock { $0 }
        #expect(kills.count == 4)
        for (index, (state, journal)) in kills.enumerated() {
            // Killed after the change, or before it, when it was only in the journal.
            for state in [state, index == 0 ? .usual : kills[index - 1].0] {
                try #require(journal).write(to: URL(filePath: path))
                chmod(path, 0o600)
                let survivor = FakeLinux(state)
                _ = try setup(survivor).recover()
                #expect(survivor.now == .usual, "killed at change \(index)")
                #expect(SetupJournal(path: path).isEmpty)
            }
        }
    }

    @Test("if the kernel rejects the rules, all changes are undone")
    func failing() throws {
        let linux = FakeLinux()
        linux.change { $0.fails = "nft -f -" }
        #expect(throws: SetupFailure.self) { try setup(linux).useGateway(gateway) }
        linux.change { $0.fails = nil }
        #expect(linux.now == .usual)
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("a foreign table with the same name is neither used nor deleted")
    func foreign() throws {
        let linux = FakeLinux()
        let theirs =
            "table inet atsgate {\n\tchain c {\n\t\ttype filter hook input priority filter; policy accept;\n"
            + "\t\ttcp dport 22 accept\n\t}\n}\n"
        linux.change { $0.tables["atsgate"] = theirs }
        #expect(throws: SetupFailure.foreignTable("atsgate")) { try setup(linux).useGateway(gateway) }
        #expect(linux.now.tables["atsgate"] == theirs)
        #expect(linux.now.settings == FakeLinux.State.usual.settings)
        #expect(SetupJournal(path: path).isEmpty)
        // A foreign rule in atsgate's table prevents undo, and the step stays in the journal.
        linux.change { $0.tables["atsgate"] = nil }
        _ = try setup(linux).useGateway(gateway)
        linux.change { $0.tables["atsgate"]? += "table inet atsgate {\n\tchain c {\n\t\ttcp dport 22 accept\n\t}\n}\n" }
        #expect(throws: SetupFailure.foreignTable("atsgate")) { try setup(linux).undo([.gateway]) }
        #expect(linux.now.tables["atsgate"] != nil)
        #expect(try SetupJournal(path: path).titles().count == 1)
    }

    @Test("after a restart, which deletes the rules, setup adds them again, and undo has nothing to do")
    func restarted() throws {
        let linux = FakeLinux()
        _ = try setup(linux).useGateway(gateway)
        linux.change { $0 = .usual }
        #expect(try setup(linux).useGateway(gateway).count == 4)
        #expect(linux.now.tables["atsgate"] != nil)
        linux.change { $0 = .usual }
        _ = try setup(linux).undo([.gateway])
        #expect(linux.now == .usual)
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("forwarding that was on before stays on, and forwarding that was turned off later is not touched")
    func forwarding() throws {
        let linux = FakeLinux()
        linux.change { $0.settings["net/ipv4/ip_forward"] = "1" }
        _ = try setup(linux).useGateway(gateway)
        linux.change { $0.settings["net/ipv6/conf/all/forwarding"] = "0" }
        _ = try setup(linux).undo([.gateway])
        #expect(linux.now.settings["net/ipv4/ip_forward"] == "1")
        #expect(linux.now.settings["net/ipv6/conf/all/forwarding"] == "0")
    }

    @Test("anything missing is named, and nothing is changed")
    func missing() throws {
        let linux = FakeLinux()
        linux.change { $0.missing = ["nft"] }
        #expect(throws: SetupFailure.missing("nft", package: "nftables")) { try setup(linux).useGateway(gateway) }
        linux.change {
            $0.missing = []
            $0.isRoot = false
        }
        #expect(throws: SetupFailure.rights) { try setup(linux).useGateway(gateway) }
        linux.change { $0.isRoot = true }
        let absent = Gateway(interfaces: ["wlan7"], ports: [80], listenPort: 9902)
        #expect(throws: SetupFailure.unknownInterface("wlan7", known: ["lo", "eth0", "wlan0"])) {
            try setup(linux).useGateway(absent)
        }
        #expect(linux.now == .usual)
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("a name that would end its quotes in a rule is not accepted as an interface")
    func hostileName() throws {
        let linux = FakeLinux()
        linux.change { $0.interfaces = ["lo", "a\"}accept"] }
        let hostile = Gateway(interfaces: ["a\"}accept"], ports: [80], listenPort: 9902)
        #expect(throws: SetupFailure.unknownInterface("a\"}accept", known: ["lo"])) {
            try setup(linux).useGateway(hostile)
        }
    }

    @Test("a dry run lists the same steps and changes nothing")
    func dryRun() throws {
        let linux = FakeLinux()
        var looking = setup(linux)
        looking.isDryRun = true
        let listed = try looking.useGateway(gateway)
        #expect(linux.now == .usual)
        #expect(try setup(linux).useGateway(gateway) == listed)
    }
}

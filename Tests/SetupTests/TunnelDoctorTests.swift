import Foundation
import Setup
import Testing
import Text

/// The doctor's findings about a tunnel for devices.
@Suite("doctor of a tunnel")
final class TunnelDoctorTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-doctor-\(UUID().uuidString)")
    private let linux = FakeLinux()
    private let setup: Setup
    private let now: Int64 = 1_795_132_800

    init() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        setup = Setup(runner: linux, journal: SetupJournal(path: folder.appending(path: "setup.json").path))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// - Parameters:
    ///   - device: the fault of /dev/net/tun; nil if it must not be checked.
    ///   - closed: ports of the tunnel's address without a listener.
    private func findings(device: String? = nil, closed: [Int] = []) -> [DoctorFinding] {
        var question = DoctorQuestion(gate: Authority(host: "127.0.0.1", port: 9802), now: now) { place in
            // Connections to a device's transparent listener would be recorded.
            #expect(place.port == 9802)
            return closed.contains(9802) ? .refused : .gate(fingerprint: "")
        }
        question.network = DoctorQuestion.Network(setup: setup, interface: nil) { place in
            #expect(place.host == "10.98.2.1")
            return !closed.contains(place.port ?? 0)
        }
        question.network?.tunnelDeviceFault = {
            #expect(device != nil)
            return device
        }
        return Doctor(question).examine().filter { $0.check == .wireguard }
    }

    private func setUp(resolvers: [String] = ["192.168.1.1"]) throws {
        let plan = TunnelPlan(
            endpoint: ("192.168.1.20", 51_820), names: ["phone1", "phone2"], resolvers: resolvers,
            folder: folder.appending(path: "wireguard").path)
        _ = try TunnelSetup(setup).use(plan)
    }

    @Test("without a tunnel there are no findings")
    func none() { #expect(findings().isEmpty) }

    @Test("a working tunnel is ok, and the latest handshake of each device is shown")
    func well() throws {
        try setUp()
        linux.change { $0.handshakes = ["open-secret2": now - 30, "open-secret3": 0] }
        #expect(findings().map(\.state) == [.well, .well, .unknown])
        #expect(findings()[1].sentence == "phone1: last handshake 30 s ago")
        #expect(findings()[2].fix?.hasPrefix("atsgate setup wireguard --show phone2") == true)
        linux.change { $0.handshakes["open-secret3"] = now - 7_200 }
        #expect(findings()[2].sentence == "phone2: last handshake 2 h ago")
        #expect(findings()[2].state == .unknown)
    }

    @Test("a missing interface is found, with the requirements of wireguard-go if the kernel has no WireGuard")
    func gone() throws {
        try setUp()
        linux.change {
            $0.interfaces = ["lo", "eth0"]
            $0.tunnels = [:]
            $0.missing = ["wireguard-go"]
        }
        let again = "sudo atsgate setup wireguard --peer phone1 --peer phone2"
        let found = findings(device: "No such file or directory")
        #expect(found.map(\.state) == [.broken, .broken, .broken])
        #expect(found[0].fix == again)
        #expect(
            found[0].sentence.hasSuffix("; to set it up again, repeat the options of the first setup (keys are kept)"))
        #expect(found[1].fix == "sudo apt-get install wireguard-go")
        #expect(found[2].sentence.contains("/dev/net/tun, which cannot be opened: No such file or directory"))
        linux.change { $0.hasKernelTunnels = true }
        #expect(findings().map(\.fix) == [again])
    }

    @Test("lost rules and forwarding that is off are found")
    func lost() throws {
        try setUp()
        linux.change {
            let rules = $0.tables["atsgate_wireguard"]
            $0.tables["atsgate_wireguard"] = rules?.replacing("comment \"atsgate setup\"\n", with: "\n")
            $0.settings["net/ipv6/conf/all/forwarding"] = "0"
        }
        #expect(findings().first?.sentence.contains("rules that atsgate did not create") == true)
        linux.change { $0.tables["atsgate_wireguard"] = nil }
        let words = findings().map(\.sentence)
        #expect(words.contains { $0.contains("table inet atsgate_wireguard of the setup no longer exists") })
        #expect(words.contains { $0.contains("net/ipv6/conf/all/forwarding is 0") })
    }

    @Test("other tables that drop unknown traffic are named, with commands that allow all that devices need")
    func firewalls() throws {
        try setUp()
        linux.change { $0.foreignChains = GatewayDoctorTests.chains }
        let mends = findings().filter { $0.state == .unknown }.compactMap(\.fix)
        let (input, forward) = ("sudo nft insert rule inet filter input", "sudo nft insert rule ip filter FORWARD")
        #expect(
            mends.prefix(2) == [
                "\(input) iifname '{ \"atsgate0\" }' tcp dport '{ 9802, 9853, 9911, 9912 }' accept; "
                    + "\(input) iifname '{ \"atsgate0\" }' udp dport '{ 9853 }' accept; "
                    + "\(input) udp dport 51820 accept",
                "\(forward) iifname '{ \"atsgate0\" }' accept; \(forward) oifname '{ \"atsgate0\" }' accept",
            ])
    }

    @Test("missing listeners and a missing page are found, without a connection to a device's listener")
    func listeners() throws {
        try setUp()
        let found = findings(closed: [9802, 9911, 9912])
        let broken = found.filter { $0.state == .broken }.map(\.sentence)
        #expect(
            broken == [
                "nothing listens at 10.98.2.1:9802, the page's address",
                "nothing listens at 10.98.2.1 for the loads of phone1 (port 9911), phone2 (port 9912)",
            ])
    }

    @Test("a missing DNS listener is found if devices use the gate for DNS", arguments: [true, false])
    func names(areOurs: Bool) throws {
        try setUp(resolvers: areOurs ? [] : ["192.168.1.1"])
        let broken = findings(closed: [9853]).filter { $0.state == .broken }.map(\.sentence)
        #expect(broken == (areOurs ? ["nothing answers DNS queries at 10.98.2.1:9853 for phone1, phone2"] : []))
        #expect(findings().allSatisfy { $0.state != .broken })
    }

    @Test("a foreign interface, missing programs and missing rights are distinguished")
    func cannotTell() throws {
        try setUp()
        linux.change { $0.tunnels["atsgate0"] = "theirs" }
        #expect(findings().map(\.state) == [.broken])
        #expect(findings().first?.sentence.contains("atsgate did not create the interface") == true)
        linux.change { $0.missing = ["wg"] }
        #expect(findings().map(\.fix) == ["sudo apt-get install wireguard-tools"])
        linux.change { $0.isRoot = false }
        #expect(findings().map(\.fix) == ["sudo atsgate doctor"])
    }
}

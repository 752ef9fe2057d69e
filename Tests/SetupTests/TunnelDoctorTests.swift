import Foundation
import Setup
import Testing
import Text

/// What the doctor finds wrong with a tunnel for devices.
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
    ///   - device: what is wrong with it; nil where nobody is to ask.
    ///   - closed: ports of the tunnel's address where nobody listens.
    private func findings(device: String? = nil, closed: [Int] = []) -> [DoctorFinding] {
        var question = DoctorQuestion(gate: Authority(host: "127.0.0.1", port: 9802), now: now) { place in
            // A listener that nobody was led to keeps a record of who comes.
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

    @Test("where there is none, nothing is said")
    func none() { #expect(findings().isEmpty) }

    @Test("one that stands is well, and says when each device was heard")
    func well() throws {
        try setUp()
        linux.change { $0.handshakes = ["open-secret2": now - 30, "open-secret3": 0] }
        #expect(findings().map(\.state) == [.well, .well, .unknown])
        #expect(findings()[1].sentence == "phone1: its last handshake was 30 s ago")
        #expect(findings()[2].mend?.hasPrefix("atsgate setup wireguard --show phone2") == true)
        linux.change { $0.handshakes["open-secret3"] = now - 7_200 }
        #expect(findings()[2].sentence == "phone2: its last handshake was 2 h ago")
        #expect(findings()[2].state == .unknown)
    }

    @Test("an interface that is gone is named, with what wireguard-go lacks where the kernel has none of its own")
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
        #expect(found[0].mend == again)
        #expect(found[0].sentence.hasSuffix("; to set it up again, give the options of the first time, too: keys stay"))
        #expect(found[1].mend == "sudo apt-get install wireguard-go")
        #expect(found[2].sentence.contains("/dev/net/tun, which can not be opened: No such file or directory"))
        linux.change { $0.hasKernelTunnels = true }
        #expect(findings().map(\.mend) == [again])
    }

    @Test("rules that are lost, forwarding that is off, are named")
    func lost() throws {
        try setUp()
        linux.change {
            let rules = $0.tables["atsgate_wireguard"]
            $0.tables["atsgate_wireguard"] = rules?.replacing("comment \"atsgate setup\"\n", with: "\n")
            $0.settings["net/ipv6/conf/all/forwarding"] = "0"
        }
        #expect(findings().first?.sentence.contains("rules that atsgate did not make") == true)
        linux.change { $0.tables["atsgate_wireguard"] = nil }
        let words = findings().map(\.sentence)
        #expect(words.contains { $0.contains("table inet atsgate_wireguard of the set-up is not there") })
        #expect(words.contains { $0.contains("net/ipv6/conf/all/forwarding is 0") })
    }

    @Test("tables of others that drop what they do not know are named, with all that a device needs let in")
    func firewalls() throws {
        try setUp()
        linux.change { $0.foreignChains = GatewayDoctorTests.chains }
        let mends = findings().filter { $0.state == .unknown }.compactMap(\.mend)
        let (input, forward) = ("sudo nft insert rule inet filter input", "sudo nft insert rule ip filter FORWARD")
        #expect(
            mends.prefix(2) == [
                "\(input) iifname '{ \"atsgate0\" }' tcp dport '{ 9802, 9853, 9911, 9912 }' accept; "
                    + "\(input) iifname '{ \"atsgate0\" }' udp dport '{ 9853 }' accept; "
                    + "\(input) udp dport 51820 accept",
                "\(forward) iifname '{ \"atsgate0\" }' accept; \(forward) oifname '{ \"atsgate0\" }' accept",
            ])
    }

    @Test("listeners and a page that are not there are named; no listener of a device's is connected to")
    func listeners() throws {
        try setUp()
        let found = findings(closed: [9802, 9911, 9912])
        let broken = found.filter { $0.state == .broken }.map(\.sentence)
        #expect(
            broken == [
                "nothing listens at 10.98.2.1:9802, where the page is",
                "nothing listens at 10.98.2.1 for the loads of phone1 (port 9911), phone2 (port 9912)",
            ])
    }

    @Test("names that nobody answers are named, where devices ask the gate for them", arguments: [true, false])
    func names(areOurs: Bool) throws {
        try setUp(resolvers: areOurs ? [] : ["192.168.1.1"])
        let broken = findings(closed: [9853]).filter { $0.state == .broken }.map(\.sentence)
        #expect(broken == (areOurs ? ["nobody answers names at 10.98.2.1:9853 for phone1, phone2"] : []))
        #expect(findings().allSatisfy { $0.state != .broken })
    }

    @Test("an interface of somebody else's, missing programs and rights are told apart")
    func cannotTell() throws {
        try setUp()
        linux.change { $0.tunnels["atsgate0"] = "theirs" }
        #expect(findings().map(\.state) == [.broken])
        #expect(findings().first?.sentence.contains("that atsgate did not make") == true)
        linux.change { $0.missing = ["wg"] }
        #expect(findings().map(\.mend) == ["sudo apt-get install wireguard-tools"])
        linux.change { $0.isRoot = false }
        #expect(findings().map(\.mend) == ["sudo atsgate doctor"])
    }
}

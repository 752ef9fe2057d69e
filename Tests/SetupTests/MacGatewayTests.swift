import Foundation
import Setup
import Synchronization
import Testing
import Text

/// A gateway with macOS's pf uses its own anchor, and undo removes all of its rules.
@Suite("setup gateway on a Mac")
final class MacGatewayTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-pf-\(UUID().uuidString)")
    private var path: String { folder.appending(path: "setup.json").path }
    private let gateway = Gateway(interfaces: ["bridge100"], ports: [80, 443], listenPort: 9902)

    init() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func setup(_ mac: FakePacketFilter) -> Setup { Setup(runner: mac, journal: SetupJournal(path: path)) }

    @Test("incoming traffic is redirected to the gate by a separate anchor, and undo restores the Mac")
    func whole() throws {
        let mac = FakePacketFilter()
        #expect(
            try setup(mac).useMacGateway(gateway) == [
                "net.inet.ip.forwarding = 1, was 0",
                "pf anchor com.apple/atsgate: IPv4 TCP 80, 443 from bridge100 to port 9902, the same over IPv6 and "
                    + "UDP 443 rejected",
            ])
        #expect(
            mac.now.anchor["nat"] == [
                "no rdr on bridge100 inet proto tcp from any to (bridge100) tag atsgate",
                "rdr pass on bridge100 inet proto tcp from any to any port = 80 tag atsgate -> 127.0.0.1 port = 9902",
                "rdr pass on bridge100 inet proto tcp from any to any port = 443 tag atsgate -> 127.0.0.1 port = 9902",
            ])
        #expect(
            mac.now.anchor["rules"] == [
                "block return in quick on bridge100 proto udp from any to any port = 443 tag atsgate",
                "block return in quick on bridge100 inet6 proto tcp from any to any port = 80 tag atsgate",
                "block return in quick on bridge100 inet6 proto tcp from any to any port = 443 tag atsgate",
            ])
        // A second run changes nothing and adds nothing to the journal.
        #expect(try setup(mac).useMacGateway(gateway).isEmpty)
        #expect(try setup(mac).undo([.gateway]).undone.count == 2)
        #expect(mac.now == .init())
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("another gateway replaces the first, and undo restores the state before both")
    func replaced() throws {
        let mac = FakePacketFilter()
        _ = try setup(mac).useMacGateway(gateway)
        let other = Gateway(interfaces: ["bridge100", "utun3"], ports: [443], listenPort: 9000)
        #expect(try setup(mac).useMacGateway(other).count == 2)
        #expect(mac.now.anchor["nat"]?.count == 4)
        #expect(mac.now.anchor["nat"]?.allSatisfy { !$0.contains("9902") } == true)
        _ = try setup(mac).undo([.gateway])
        #expect(mac.now == .init())
    }

    @Test("after a kill at any moment, the next start restores everything")
    func killed() throws {
        let moments = Mutex<[(FakePacketFilter.State, Data?)]>([])
        let path = path
        let mac = FakePacketFilter { state in
            moments.withLock { $0.append((state, FileManager.default.contents(atPath: path))) }
        }
        _ = try setup(mac).useMacGateway(gateway)
        let kills = moments.withLock { $0 }
        #expect(kills.count == 2)
        for (index, (state, journal)) in kills.enumerated() {
            // Killed after the change, or before it, when it was only in the journal.
            for state in [state, index == 0 ? .init() : kills[index - 1].0] {
                try #require(journal).write(to: URL(filePath: path))
                chmod(path, 0o600)
                let survivor = FakePacketFilter(state)
                _ = try setup(survivor).recover()
                #expect(survivor.now == .init(), "killed at change \(index)")
                #expect(SetupJournal(path: path).isEmpty)
            }
        }
    }

    @Test("if pf rejects the rules, all changes are undone")
    func failing() throws {
        let mac = FakePacketFilter()
        mac.change { $0.fails = "-f -" }
        #expect(
            throws: SetupFailure.command(
                ["pfctl", "-a", "com.apple/atsgate", "-f", "-"], reason: "stdin:1: syntax error")
        ) {
            try setup(mac).useMacGateway(gateway)
        }
        mac.change { $0.fails = nil }
        #expect(mac.now == .init())
        #expect(SetupJournal(path: path).isEmpty)
    }

    @Test("a foreign anchor with the same name is neither used nor emptied")
    func foreign() throws {
        let mac = FakePacketFilter()
        mac.change { $0.anchor["rules"] = ["block drop in quick proto tcp from any to any port = 22 tag atsgates"] }
        let before = mac.now
        #expect { try self.setup(mac).useMacGateway(self.gateway) } throws: { error in
            (error as? SetupFailure)?.sentence.contains("rules that atsgate did not create") == true
        }
        #expect(mac.now == before)
        #expect(SetupJournal(path: path).isEmpty)
        // A foreign rule in atsgate's anchor prevents undo, and the step stays in the journal.
        mac.change { $0.anchor["rules"] = [] }
        _ = try setup(mac).useMacGateway(gateway)
        mac.change { $0.anchor["nat"]?.append("rdr on en0 inet proto tcp from any to any -> 127.0.0.1 port 22") }
        #expect(throws: SetupFailure.self) { try setup(mac).undo([.gateway]) }
        #expect(mac.now.anchor["nat"]?.count == 4)
        #expect(try SetupJournal(path: path).titles().count == 1)
    }

    @Test(
        "an anchor that does not exist counts as empty, for every message of pfctl; any other error is reported",
        arguments: [
            CommandOutcome(status: 0, complaint: "pfctl: DIOCGETRULES: Invalid argument\n"),
            CommandOutcome(status: 1, complaint: "pfctl: DIOCGETRULES: Invalid argument\n"),
            CommandOutcome(status: 1, complaint: "pfctl: Anchor does not exist\n"),
        ])
    func noAnchor(said: CommandOutcome) throws {
        let mac = FakePacketFilter()
        mac.change { $0.noAnchor = said }
        let before = mac.now
        #expect(try setup(mac).useMacGateway(gateway).count == 2)
        #expect(try setup(mac).useMacGateway(gateway).isEmpty)
        _ = try setup(mac).undo([.gateway])
        #expect(mac.now == before)
        mac.change { $0.noAnchor = CommandOutcome(status: 1, complaint: "pfctl: DIOCGETRULES: Device busy\n") }
        #expect(throws: SetupFailure.self) { try setup(mac).useMacGateway(gateway) }
    }

    @Test("anything missing is named, and nothing is changed")
    func missing() throws {
        func refusal(_ gateway: Gateway, _ change: (inout FakePacketFilter.State) -> Void) -> String {
            let mac = FakePacketFilter()
            mac.change(change)
            let before = mac.now
            defer { #expect(mac.now == before && SetupJournal(path: path).isEmpty) }
            do throws(SetupFailure) {
                _ = try setup(mac).useMacGateway(gateway)
                return "no failure"
            } catch {
                return error.sentence
            }
        }
        #expect(refusal(gateway) { $0.isRoot = false } == SetupFailure.rights.sentence)
        #expect(refusal(gateway) { $0.isOn = false }.contains("it is off: switch on Internet Sharing"))
        #expect(refusal(gateway) { $0.mainRules["nat"] = "" }.contains("no rdr-anchor \"com.apple/*\""))
        #expect(refusal(gateway) { $0.mainRules["rules"] = "" }.contains("no anchor \"com.apple/*\""))
        let absent = Gateway(interfaces: ["bridge101"], ports: [80], listenPort: 9902)
        #expect(
            refusal(absent) { _ in } == "unknown interface bridge101; available: lo0, gif0, en0, utun3, bridge100")
        let hostile = Gateway(interfaces: ["a{b}"], ports: [80], listenPort: 9902)
        #expect(refusal(hostile) { _ in }.hasPrefix("unknown interface a{b}"))
    }

    @Test("after a restart, which deletes the rules, setup adds them again, and undo has nothing to do")
    func restarted() throws {
        let mac = FakePacketFilter()
        _ = try setup(mac).useMacGateway(gateway)
        mac.change { $0 = .init() }
        #expect(try setup(mac).useMacGateway(gateway).count == 2)
        #expect(mac.now.anchor["nat"]?.count == 3)
        mac.change { $0 = .init() }
        _ = try setup(mac).undo([.gateway])
        #expect(mac.now == .init() && SetupJournal(path: path).isEmpty)
    }

    @Test("forwarding that Internet Sharing turned on stays on")
    func forwarding() throws {
        let mac = FakePacketFilter()
        mac.change { $0.forwarding = "1" }
        #expect(try setup(mac).useMacGateway(gateway).count == 1)
        _ = try setup(mac).undo([.gateway])
        #expect(mac.now.forwarding == "1")
    }

    @Test("a dry run lists the same steps and changes nothing")
    func dryRun() throws {
        let mac = FakePacketFilter()
        var looking = setup(mac)
        looking.isDryRun = true
        let listed = try looking.useMacGateway(gateway)
        #expect(mac.now == .init())
        #expect(try setup(mac).useMacGateway(gateway) == listed)
    }

    @Test("the doctor names each part that is missing, and the listener that the gateway needs")
    func doctor() throws {
        let mac = FakePacketFilter()
        func found(isListening: Bool = true) -> [String] {
            var question = DoctorQuestion(gate: .init(host: "127.0.0.1", port: 9802), now: 0) { _ in .stranger }
            question.network = .init(setup: setup(mac), interface: "bridge100") { _ in isListening }
            question.network?.isMac = true
            return Doctor(question).examine().filter { $0.check == .gateway }.map { finding in
                "\(finding.state): \(finding.sentence)" + (finding.fix.map { " -> " + $0 } ?? "")
            }
        }
        let again = "sudo atsgate setup gateway --interface bridge100"
        #expect(found() == ["broken: no gateway is set up, so traffic from there does not reach the gate -> \(again)"])
        _ = try setup(mac).useMacGateway(gateway)
        #expect(found().map { $0.prefix(33) } == ["well: pf anchor com.apple/atsgate"])
        #expect(
            found(isListening: false) == [
                "broken: nothing listens on port 9902, to which loads are redirected -> atsgate proxy --allow-lan --listen "
                    + "0.0.0.0:9802 --listen transparent://127.0.0.1:9902"
            ])
        mac.change {
            $0.anchor["nat"]?.removeLast()
            $0.forwarding = "0"
        }
        #expect(
            found() == [
                "broken: the pf anchor com.apple/atsgate lacks rules of the setup -> \(again)",
                "broken: net.inet.ip.forwarding is 0: traffic that is not for the gate is not forwarded -> \(again)",
            ])
        mac.change { $0.isOn = false }
        #expect(found().first?.hasPrefix("broken: cannot use pf: it is off") == true)
        mac.change { $0.isRoot = false }
        #expect(found().first?.hasPrefix("unknown: only root can check") == true)
    }
}

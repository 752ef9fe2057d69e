import Foundation
import Setup
import Testing
import Text

/// What the doctor finds wrong with a gateway.
@Suite("doctor of a gateway")
final class GatewayDoctorTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-doctor-\(UUID().uuidString)")
    private let linux = FakeLinux()
    private let setup: Setup

    init() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        setup = Setup(runner: linux, journal: SetupJournal(path: folder.appending(path: "setup.json").path))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func findings(
        interface: String? = nil, isListening: Bool = true
    ) -> [DoctorFinding] {
        var question = DoctorQuestion(gate: Authority(host: "127.0.0.1", port: 9802), now: 1_795_132_800) { place in
            // A listener that nobody was led to keeps a record of who comes.
            #expect(place.port == 9802)
            return .gate(fingerprint: "")
        }
        question.network = DoctorQuestion.Network(setup: setup, interface: interface) { place in
            #expect(place.host == "127.0.0.1")
            return isListening
        }
        return Doctor(question).examine().filter { $0.check == .gateway }
    }

    private func setUp() throws {
        _ = try setup.useGateway(Gateway(interfaces: ["wlan0"], ports: [80, 443], listenPort: 9902))
    }

    @Test("where there is none, and none is asked for, nothing is said")
    func none() { #expect(findings().isEmpty) }

    @Test("one that stands is well, and its rules are listed once")
    func well() throws {
        try setUp()
        let listing = ["nft", "list", "table", "inet", "atsgate"]
        var states: [DoctorFinding.State] = []
        let asked = linux.count(of: listing) { states = findings().map(\.state) }
        #expect(states == [.well] && asked == 1)
        #expect(try linux.count(of: listing) { try setUp() } == 1)
    }

    @Test("one that is asked for, and not set up, is named with its command")
    func notSetUp() {
        #expect(findings(interface: "wlan0").map(\.mend) == ["sudo atsgate setup gateway --interface wlan0"])
    }

    @Test("a listener that is not there is named")
    func listener() throws {
        try setUp()
        let found = findings(isListening: false)
        #expect(found.map(\.state) == [.broken])
        #expect(found.first?.sentence.contains("nothing listens") == true)
        #expect(found.first?.mend?.contains("--listen transparent://0.0.0.0:9902") == true)
    }

    @Test("rules that are lost, forwarding that is off, an interface that is gone, are named")
    func lost() throws {
        try setUp()
        linux.change {
            $0.tables["atsgate"] = nil
            $0.settings["net/ipv4/ip_forward"] = "0"
            $0.interfaces = ["lo"]
        }
        let words = findings().map(\.sentence).joined(separator: "\n")
        for part in ["no interface wlan0", "table inet atsgate", "net/ipv4/ip_forward is 0"] {
            #expect(words.contains(part), "\(words)")
        }
        #expect(findings().allSatisfy { $0.state == .broken })
    }

    @Test("one that was set up otherwise than usual is mended as it was")
    func otherwise() throws {
        _ = try setup.useGateway(Gateway(interfaces: ["wlan0", "eth0"], ports: [80, 8443], listenPort: 9000))
        linux.change { $0.tables["atsgate"] = nil }
        let command = "sudo atsgate setup gateway --interface wlan0 --interface eth0 --ports 80,8443 --listen-port 9000"
        #expect(findings().map(\.mend) == [command])
    }

    @Test("one rule that is gone, or a chain, is named with what to do")
    func partly() throws {
        try setUp()
        let whole = try #require(linux.now.tables["atsgate"])
        let lines = whole.split(separator: "\n", omittingEmptySubsequences: false)
        let rules = lines.indices.filter { lines[$0].contains("atsgate setup") }
        #expect(rules.count == 5)
        for rule in rules {
            let others = lines.indices.filter { $0 != rule }.map { lines[$0] }.joined(separator: "\n")
            linux.change { $0.tables["atsgate"] = others }
            #expect(findings().map(\.state) == [.broken], "\(lines[rule])")
            #expect(findings().first?.mend == "sudo atsgate setup gateway --interface wlan0")
            try setUp()
            #expect(linux.now.tables["atsgate"] == whole)
        }
    }

    @Test("tables of others that drop what they do not know are named, and nothing else of theirs")
    func firewalls() throws {
        try setUp()
        linux.change { $0.foreignChains = Self.chains }
        let found = findings()
        #expect(found.map(\.state) == [.well, .unknown, .unknown])
        let insert = "sudo nft insert rule inet filter input iifname '{ \"wlan0\" }' tcp dport '{ 9802, 9902 }' accept"
        #expect(found[1].mend == insert)
        #expect(found[2].mend?.contains("sudo nft insert rule ip filter FORWARD oifname") == true)
    }

    /// Of nftables 1.0.6, with a firewall, Docker and our own table.
    static let chains = """
        table inet filter {
        \tchain input {
        \t\ttype filter hook input priority filter; policy drop;
        \t}
        \tchain output {
        \t\ttype filter hook output priority filter; policy drop;
        \t}
        }
        table ip filter {
        \tchain FORWARD {
        \t\ttype filter hook forward priority filter; policy drop;
        \t}
        \tchain DOCKER {
        \t}
        }
        table inet atsgate {
        \tchain quic {
        \t\ttype filter hook forward priority filter; policy accept;
        \t}
        }

        """

    @Test("without nft, and without the right to ask it, the doctor says so")
    func cannotAsk() {
        linux.change { $0.missing = ["nft"] }
        #expect(findings(interface: "wlan0").first?.mend == "sudo apt-get install nftables")
        linux.change {
            $0.missing = []
            $0.isRoot = false
        }
        #expect(findings(interface: "wlan0").map(\.state) == [.unknown])
        #expect(findings(interface: "wlan0").first?.mend == "sudo atsgate doctor")
    }
}

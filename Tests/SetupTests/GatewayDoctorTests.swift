import Foundation
import Setup
import Testing
import Text

/// The doctor's findings about a gateway.
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
            // Connections to the transparent listener would be recorded.
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

    @Test("without a gateway, and without a request for one, there are no findings")
    func none() { #expect(findings().isEmpty) }

    @Test("a working gateway is ok, and its rules are listed once")
    func well() throws {
        try setUp()
        let listing = ["nft", "list", "table", "inet", "atsgate"]
        var states: [DoctorFinding.State] = []
        let asked = linux.count(of: listing) { states = findings().map(\.state) }
        #expect(states == [.well] && asked == 1)
        #expect(try linux.count(of: listing) { try setUp() } == 1)
    }

    @Test("a requested gateway that is not set up is a finding with its command")
    func notSetUp() {
        #expect(findings(interface: "wlan0").map(\.fix) == ["sudo atsgate setup gateway --interface wlan0"])
    }

    @Test("a missing listener is found")
    func listener() throws {
        try setUp()
        let found = findings(isListening: false)
        #expect(found.map(\.state) == [.broken])
        #expect(found.first?.sentence.contains("nothing listens") == true)
        #expect(found.first?.fix?.contains("--listen transparent://0.0.0.0:9902") == true)
    }

    @Test("lost rules, forwarding that is off and a missing interface are found")
    func lost() throws {
        try setUp()
        linux.change {
            $0.tables["atsgate"] = nil
            $0.settings["net/ipv4/ip_forward"] = "0"
            $0.interfaces = ["lo"]
        }
        let words = findings().map(\.sentence).joined(separator: "\n")
        for part in ["the interface wlan0 does not exist", "table inet atsgate", "net/ipv4/ip_forward is 0"] {
            #expect(words.contains(part), "\(words)")
        }
        #expect(findings().allSatisfy { $0.state == .broken })
    }

    @Test("the fix repeats the options of the first setup")
    func otherwise() throws {
        _ = try setup.useGateway(Gateway(interfaces: ["wlan0", "eth0"], ports: [80, 8443], listenPort: 9000))
        linux.change { $0.tables["atsgate"] = nil }
        let command = "sudo atsgate setup gateway --interface wlan0 --interface eth0 --ports 80,8443 --listen-port 9000"
        #expect(findings().map(\.fix) == [command])
    }

    @Test("a single missing rule is found, and setup restores it")
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
            #expect(findings().first?.fix == "sudo atsgate setup gateway --interface wlan0")
            try setUp()
            #expect(linux.now.tables["atsgate"] == whole)
        }
    }

    @Test("other tables that drop unknown traffic are named with a fix, and other chains are not reported")
    func firewalls() throws {
        try setUp()
        linux.change { $0.foreignChains = Self.chains }
        let found = findings()
        #expect(found.map(\.state) == [.well, .unknown, .unknown])
        let insert = "sudo nft insert rule inet filter input iifname '{ \"wlan0\" }' tcp dport '{ 9802, 9902 }' accept"
        #expect(found[1].fix == insert)
        #expect(found[2].fix?.contains("sudo nft insert rule ip filter FORWARD oifname") == true)
    }

    /// Chains of a firewall, of Docker and of atsgate, as nftables 1.0.6 prints them.
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

    @Test("without nft, or without the right to use it, the doctor names the command to run first")
    func cannotAsk() {
        linux.change { $0.missing = ["nft"] }
        #expect(findings(interface: "wlan0").first?.fix == "sudo apt-get install nftables")
        linux.change {
            $0.missing = []
            $0.isRoot = false
        }
        #expect(findings(interface: "wlan0").map(\.state) == [.unknown])
        #expect(findings(interface: "wlan0").first?.fix == "sudo atsgate doctor")
    }
}

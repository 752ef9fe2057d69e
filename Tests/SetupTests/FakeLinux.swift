import Foundation
import Setup
import Synchronization

/// A Linux machine that answers as nft 1.0.6, sysctl of procps 4.0.2, ip of iproute2 6.1 and wg of wireguard-tools
/// 1.0.20210914 do, and remembers what it was told.
final class FakeLinux: CommandRunner {
    struct State: Equatable {
        /// Tables of packet rules by name, as they are listed.
        var tables: [String: String] = [:]
        var settings: [String: String] = [:]
        var interfaces = ["lo", "eth0", "wlan0"]
        /// As `ip -6 route show default` prints it.
        var routes = "default via fe80::1 dev eth0 proto ra metric 100 expires 1700sec pref medium\n"
        /// Public keys of interfaces of WireGuard, `(none)` before they have one.
        var tunnels: [String: String] = [:]
        /// Of the interfaces, by their names.
        var addresses: [String: [String]] = [:]
        /// The kernel has WireGuard of its own.
        var hasKernelTunnels = false
        var missing: Set<String> = []
        var isRoot = true
        /// As `nft list chains` prints those of others.
        var foreignChains = ""
        /// By public key, in seconds since 1970-01-01 UTC.
        var handshakes: [String: Int64] = [:]
        /// Commands whose words contain this fail.
        var fails: String?
    }

    private let state: Mutex<State>
    /// Keys are never made twice, and are no part of the machine.
    private let keys = Mutex(0)
    private let heard = Mutex<[[String]]>([])
    /// Called after each command that changed something: the moments at which one may be killed.
    let afterChange: @Sendable (State) -> Void

    init(_ state: State = .usual, afterChange: @escaping @Sendable (State) -> Void = { _ in }) {
        self.state = Mutex(state)
        self.afterChange = afterChange
    }

    var now: State { state.withLock { $0 } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// How often a command was run while `body` ran.
    func count(of command: [String], in body: () throws -> Void) rethrows -> Int {
        heard.withLock { $0 = [] }
        try body()
        return heard.withLock { $0.filter { $0 == command }.count }
    }

    func run(_ command: [String], input: String) -> CommandOutcome {
        heard.withLock { $0.append(command) }
        let (outcome, changed) = state.withLock { state -> (CommandOutcome, State?) in
            let before = state
            if state.missing.contains(command[0]) {
                return (CommandOutcome(status: 127, complaint: "env: '\(command[0])': No such file\n"), nil)
            }
            if let word = state.fails, command.joined(separator: " ").contains(word) {
                return (CommandOutcome(status: 1, complaint: "Error: Could not process rule: Invalid argument\n"), nil)
            }
            if command == ["wg", "genkey"] {
                return (CommandOutcome(output: "secret\(keys.withLock { $0 += 1; return $0 })\n"), nil)
            }
            let outcome = Self.answer(Array(command.dropFirst()), of: command[0], input, &state)
            return (outcome, state == before ? nil : state)
        }
        if let changed { afterChange(changed) }
        return outcome
    }

    private static func answer(
        _ words: [String], of program: String, _ input: String, _ state: inout State
    ) -> CommandOutcome {
        switch program {
        case "nft": nft(words, input, &state)
        case "sysctl": sysctl(words, &state)
        case "ip": ip(words, &state)
        case "wg": wg(words, input, &state)
        case "wireguard-go" where words == ["--version"]: CommandOutcome(output: "wireguard-go v0.0.20220316\n")
        case "wireguard-go": makeTunnel(words[0], &state)
        case "modprobe": CommandOutcome(status: state.hasKernelTunnels ? 0 : 1)
        default: CommandOutcome(status: 127, complaint: "env: '\(program)': No such file or directory\n")
        }
    }

    private static func nft(_ words: [String], _ input: String, _ state: inout State) -> CommandOutcome {
        guard state.isRoot else {
            return CommandOutcome(
                status: 1,
                complaint: """
                    Operation not permitted (you must be root)
                    netlink: Error: cache initialization failed: Operation not permitted

                    """)
        }
        let absent = CommandOutcome(
            status: 1, complaint: "Error: No such file or directory\n\(words.joined(separator: " "))\n")
        switch words.first {
        case "list" where words == ["list", "tables"]:
            return CommandOutcome(output: state.tables.keys.sorted().map { "table inet \($0)\n" }.joined())
        case "list" where words == ["list", "chains"]: return CommandOutcome(output: state.foreignChains)
        case "list":
            return state.tables[words[3]].map { CommandOutcome(output: $0) } ?? absent
        case "delete":
            return state.tables.removeValue(forKey: words[3]) == nil ? absent : CommandOutcome()
        default:
            let name = input.split(separator: "\n").first?.split(separator: " ").last.map(String.init) ?? ""
            guard input.hasPrefix("create table inet "), state.tables[name] == nil else {
                return CommandOutcome(status: 1, complaint: "Error: Could not process rule: File exists\n")
            }
            state.tables[name] = listing(of: input)
            return CommandOutcome()
        }
    }

    /// nft lists a chain's hook and policy in a line, and each rule in one of its own.
    private static func listing(of input: String) -> String {
        input.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            .map { $0.replacing("  ", with: "\t") }.joined(separator: "\n")
    }

    private static func sysctl(_ words: [String], _ state: inout State) -> CommandOutcome {
        if words.first == "-n" {
            guard let value = state.settings[words[1]] else {
                return CommandOutcome(status: 255, complaint: "sysctl: cannot stat /proc/sys/\(words[1])\n")
            }
            return CommandOutcome(output: value + "\n")
        }
        for word in words.dropFirst(2) {
            let sides = word.split(separator: "=").map(String.init)
            let previous = state.settings.updateValue(sides[1], forKey: sides[0])
            // As inet_forward_change() of Linux does.
            if sides[0] == "net/ipv4/ip_forward", previous != sides[1] {
                state.settings["net/ipv4/conf/all/accept_redirects"] = sides[1] == "1" ? "0" : "1"
            }
        }
        return CommandOutcome()
    }

    private static func ip(_ words: [String], _ state: inout State) -> CommandOutcome {
        if words == ["-o", "link", "show"] {
            let lines = state.interfaces.enumerated().map { number, name in
                "\(number + 1): \(name)\(name == "eth0" ? "@if5" : ""): <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500\n"
            }
            return CommandOutcome(output: lines.joined())
        }
        switch words.prefix(2) {
        case ["link", "add"]:
            guard state.hasKernelTunnels else {
                return CommandOutcome(status: 2, complaint: "Error: Unknown device type.\n")
            }
            return makeTunnel(words[3], &state)
        case ["link", "delete"]:
            state.interfaces.removeAll { $0 == words[3] }
            state.tunnels[words[3]] = nil
            state.addresses[words[3]] = nil
        case ["address", "add"]: state.addresses[words[4], default: []].append(words[2])
        default: return CommandOutcome(output: words == ["-6", "route", "show", "default"] ? state.routes : "")
        }
        return CommandOutcome()
    }

    private static func makeTunnel(_ name: String, _ state: inout State) -> CommandOutcome {
        state.interfaces.append(name)
        state.tunnels[name] = "(none)"
        return CommandOutcome()
    }

    private static func wg(_ words: [String], _ input: String, _ state: inout State) -> CommandOutcome {
        if words == ["pubkey"] { return CommandOutcome(output: open(input)) }
        if words == ["show", "interfaces"] { return CommandOutcome(output: "\n") }
        if words.last == "latest-handshakes" {
            return CommandOutcome(output: state.handshakes.map { "\($0.key)\t\($0.value)\n" }.joined())
        }
        if words[0] == "show" {
            return state.tunnels[words[1]].map { CommandOutcome(output: $0 + "\n") }
                ?? CommandOutcome(status: 1, complaint: "Unable to access interface: No such device\n")
        }
        guard let secret = try? String(contentsOfFile: words[3], encoding: .utf8) else {
            return CommandOutcome(status: 1, complaint: "fopen: No such file or directory\n")
        }
        state.tunnels[words[1]] = open(secret).split(separator: "\n").first.map(String.init)
        return CommandOutcome()
    }

    /// What stands for the public key of a secret one.
    private static func open(_ secret: String) -> String { "open-" + secret }
}

extension FakeLinux.State {
    /// A host that passes nothing on, hardened against redirects, with a firewall of its own.
    static var usual: FakeLinux.State {
        FakeLinux.State(
            tables: ["filter": "table inet filter {\n\tchain input {\n\t\ttcp dport 22 accept\n\t}\n}\n"],
            settings: [
                "net/ipv4/ip_forward": "0", "net/ipv4/conf/all/accept_redirects": "0",
                "net/ipv6/conf/all/forwarding": "0", "net/ipv6/conf/eth0/accept_ra": "1",
            ])
    }
}

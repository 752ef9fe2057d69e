import Foundation
import Setup

/// A fake Linux machine that keeps the changes made to it. It answers like nft 1.0.6, sysctl of procps 4.0.2, ip of
/// iproute2 6.1 and wg of wireguard-tools 1.0.20210914.
struct FakeLinux: FakeMachine {
    struct State: Equatable {
        /// Tables of packet rules by name, in the form that `nft list table` prints.
        var tables: [String: String] = [:]
        var settings: [String: String] = [:]
        var interfaces = ["lo", "eth0", "wlan0"]
        /// The output of `ip -6 route show default`.
        var routes = "default via fe80::1 dev eth0 proto ra metric 100 expires 1700sec pref medium\n"
        /// Public keys of WireGuard interfaces; `(none)` before a key is set.
        var tunnels: [String: String] = [:]
        /// Addresses by interface name.
        var addresses: [String: [String]] = [:]
        /// True if the kernel has WireGuard built in.
        var hasKernelTunnels = false
        var missing: Set<String> = []
        var isRoot = true
        /// The chains of other programs, as `nft list chains` prints them.
        var foreignChains = ""
        /// The latest handshakes by public key, in seconds since 1970-01-01 UTC.
        var handshakes: [String: Int64] = [:]
        /// Commands whose words contain this fail.
        var fails: String?
    }

    let memory: FakeMemory<State>

    init(_ state: State = .usual, afterChange: @escaping @Sendable (State) -> Void = { _ in }) {
        memory = FakeMemory(state, afterChange: afterChange)
    }

    /// Returns how often a command was run during `body`.
    func count(of command: [String], in body: () throws -> Void) rethrows -> Int {
        let before = heard.count
        try body()
        return heard[before...].count { $0 == command }
    }

    func answer(_ command: [String], _ input: String, _ state: inout State) -> CommandOutcome {
        let (program, words) = (command[0], Array(command.dropFirst()))
        if state.missing.contains(program) {
            return CommandOutcome(status: 127, complaint: "env: '\(program)': No such file\n")
        }
        if let part = state.fails, command.joined(separator: " ").contains(part) {
            return CommandOutcome(status: 1, complaint: "Error: Could not process rule: Invalid argument\n")
        }
        return switch program {
        case "nft": Self.nft(words, input, &state)
        case "sysctl": Self.sysctl(words, &state)
        case "ip": Self.ip(words, &state)
        // Each new key is different.
        case "wg" where words == ["genkey"]: CommandOutcome(output: "secret\(heard.count { $0 == command })\n")
        case "wg": Self.wg(words, input, &state)
        case "wireguard-go" where words == ["--version"]: CommandOutcome(output: "wireguard-go v0.0.20220316\n")
        case "wireguard-go": Self.makeTunnel(words[0], &state)
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

    /// nft prints a chain's hook and policy on one line, and each rule on its own line.
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
            // Source: inet_forward_change() of Linux.
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

    /// A stand-in for the public key of a private key.
    private static func open(_ secret: String) -> String { "open-" + secret }
}

extension FakeLinux.State {
    /// A host without forwarding, hardened against redirects, with its own firewall.
    static var usual: FakeLinux.State {
        FakeLinux.State(
            tables: ["filter": "table inet filter {\n\tchain input {\n\t\ttcp dport 22 accept\n\t}\n}\n"],
            settings: [
                "net/ipv4/ip_forward": "0", "net/ipv4/conf/all/accept_redirects": "0",
                "net/ipv6/conf/all/forwarding": "0", "net/ipv6/conf/eth0/accept_ra": "1",
            ])
    }
}

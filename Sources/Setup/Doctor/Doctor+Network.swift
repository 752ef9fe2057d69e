internal import Text

/// The command that repeats a setup.
struct RepeatedSetup {
    /// Can be pasted unchanged.
    let command: String
    /// Appended to the problem: facts that the command does not contain.
    var remark = ""
}

/// Checks for both gateways and tunnels.
extension Doctor {
    func rules(
        _ check: DoctorFinding.Check, _ table: PacketTable, _ again: RepeatedSetup, _ setup: Setup
    ) throws(SetupFailure) -> [DoctorFinding] {
        switch try setup.packetRules.state(of: table) {
        case .whole: []
        case .absent: [.broken(check, "the table inet \(table.name) of the setup no longer exists", again)]
        case .lacking:
            [
                .broken(
                    check, "the table inet \(table.name) lacks rules of the setup: they were removed", again)
            ]
        }
    }

    /// Checks that IPv4 and IPv6 packets are forwarded.
    func forwarding(_ check: DoctorFinding.Check, _ again: RepeatedSetup, _ setup: Setup) -> [DoctorFinding] {
        [KernelSetting.forwarding4, KernelSetting.forwarding6].filter { setup.kernelSettings.value(of: $0) == "0" }.map
        { name in
            .broken(check, "\(name) is 0: traffic that is not for the gate is not forwarded", again)
        }
    }

    /// Finds other tables that drop packets by default; only the kernel knows whether they drop those of devices.
    ///
    /// - Parameters:
    ///   - ports: TCP and UDP ports for packets of devices.
    ///   - outer: UDP port for packets of the tunnel itself, on any interface; nil without a tunnel.
    func firewalls(
        _ check: DoctorFinding.Check, _ interfaces: [String], ports: (tcp: [Int], udp: [Int]), outer: Int? = nil,
        _ setup: Setup
    ) throws(SetupFailure) -> [DoctorFinding] {
        let devices = PacketTable.set(interfaces)
        let (arriving, leaving) = ("iifname '\(devices)'", "oifname '\(devices)'")
        let incoming =
            [("tcp", ports.tcp), ("udp", ports.udp)].filter { !$0.1.isEmpty }.map { kind, ports in
                "\(arriving) \(kind) dport '\(PacketTable.set(ports))'"
            } + (outer.map { ["udp dport \($0)"] } ?? [])
        return ForeignChain.dropping(in: try setup.ask(["nft", "list", "chains"])).map { chain in
            let (sentence, openings) =
                switch chain.hook {
                case .input:
                    ("drops incoming packets that no rule accepts, perhaps those for the gate's listeners", incoming)
                case .forward:
                    (
                        "drops forwarded packets that no rule accepts, perhaps those of these devices",
                        [arriving, leaving]
                    )
                }
            let fix = openings.map { "sudo nft insert rule \(chain.name) \($0) accept" }.joined(separator: "; ")
            return .unknown(check, "\(chain.name.printable) \(sentence)", fix: fix.printable)
        }
    }

    static func finding(_ check: DoctorFinding.Check, of failure: SetupFailure) -> DoctorFinding {
        switch failure {
        case .rights: .unknown(check, "only root can check the packet rules", fix: "sudo atsgate doctor")
        case .missing(_, let package): .broken(check, failure.sentence, fix: "sudo apt-get install \(package)")
        case .foreignTable(let table): .broken(check, failure.sentence, fix: "sudo nft delete table inet \(table)")
        case .foreignInterface(let name):
            .broken(check, failure.sentence, fix: "sudo ip link delete dev \(name), if it is no longer in use")
        case .command, .noService, .noWindow, .unknownService, .passwordProxy, .noSimulator, .unknownInterface, .keys,
            .journal:
            .unknown(check, failure.sentence)
        }
    }
}

/// A chain of packet rules that drops by default, for incoming or forwarded packets.
struct ForeignChain {
    enum Hook: String {
        case input, forward
    }

    /// The name in the form of `nft`: `inet filter input`.
    let name: String
    let hook: Hook

    /// The dropping chains in the output of `nft list chains`: `table inet filter {`, in it `chain input {`, in that
    /// `type filter hook input priority filter; policy drop;`. Source: nft(8) of nftables 1.0.6.
    static func dropping(in listing: String) -> [ForeignChain] {
        var (table, chain) = ("", "")
        return listing.split(separator: "\n").compactMap { line in
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
            if words.first == "table", words.count > 2 { table = words[1...2].joined(separator: " ") }
            if words.first == "chain", words.count > 1 { chain = words[1] }
            guard words.first == "type", line.contains("policy drop"), words.count > 3, words[1] == "filter",
                let hook = Hook(rawValue: words[3])
            else { return nil }
            return ForeignChain(name: "\(table) \(chain)", hook: hook)
        }
    }
}

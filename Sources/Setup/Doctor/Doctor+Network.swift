internal import Text

/// How a set-up is made again.
struct SetupAgain {
    /// Can be pasted as it is.
    let command: String
    /// Stands behind what is broken: what the command can not say.
    var remark = ""
}

/// What a gateway and a tunnel both need.
extension Doctor {
    /// Whether our rules are all there.
    func rules(
        _ check: DoctorFinding.Check, _ table: PacketTable, _ again: SetupAgain, _ setup: Setup
    ) throws(SetupFailure) -> [DoctorFinding] {
        switch try setup.packetRules.state(of: table) {
        case .whole: []
        case .absent: [.broken(check, "the table inet \(table.name) of the set-up is not there any more", again)]
        case .lacking:
            [
                .broken(
                    check, "the table inet \(table.name) lacks rules of the set-up: somebody has taken them out", again)
            ]
        }
    }

    /// Whether packets are passed on, IPv4 and IPv6.
    func forwarding(_ check: DoctorFinding.Check, _ again: SetupAgain, _ setup: Setup) -> [DoctorFinding] {
        [KernelSetting.forwarding4, KernelSetting.forwarding6].filter { setup.kernelSettings.value(of: $0) == "0" }.map
        { name in
            .broken(check, "\(name) is 0: what is not for the gate is not passed on", again)
        }
    }

    /// Tables of others that drop what no rule of theirs lets through. Whether one does is not told: who reads rules as
    /// the kernel does is the kernel.
    ///
    /// - Parameters:
    ///   - ports: of TCP and of UDP, where devices come in.
    ///   - outer: of UDP, where packets of the tunnel itself come in, on any interface; nil where there is none.
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
                    ("drops what comes in and no rule of it accepts, the gate's listeners perhaps among it", incoming)
                case .forward:
                    (
                        "drops what is passed on and no rule of it accepts, these devices' packets perhaps among it",
                        [arriving, leaving]
                    )
                }
            let mend = openings.map { "sudo nft insert rule \(chain.name) \($0) accept" }.joined(separator: "; ")
            return .unknown(check, "\(chain.name.printable) \(sentence)", mend: mend.printable)
        }
    }

    static func finding(_ check: DoctorFinding.Check, of failure: SetupFailure) -> DoctorFinding {
        switch failure {
        case .rights: .unknown(check, "only root can see whether its rules are there", mend: "sudo atsgate doctor")
        case .missing(_, let package): .broken(check, failure.sentence, mend: "sudo apt-get install \(package)")
        case .foreignTable(let table): .broken(check, failure.sentence, mend: "sudo nft delete table inet \(table)")
        case .foreignInterface(let name):
            .broken(check, failure.sentence, mend: "sudo ip link delete dev \(name), where it is nobody's any more")
        case .packetFilter: .broken(check, failure.sentence, mend: "sudo pfctl -s info")
        case .command, .noService, .unknownService, .passwordProxy, .noSimulator, .unknownInterface, .keys, .journal:
            .unknown(check, failure.sentence)
        }
    }
}

/// A chain of packet rules that ends in dropping, and is asked about what comes in, or what is passed on.
struct ForeignChain {
    enum Hook: String {
        case input, forward
    }

    /// As `nft` takes it: `inet filter input`.
    let name: String
    let hook: Hook

    /// Of what `nft list chains` prints: `table inet filter {`, in it `chain input {`, in that
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

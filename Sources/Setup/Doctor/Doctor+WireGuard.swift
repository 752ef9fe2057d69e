internal import Text

/// Whether a tunnel for devices stands, and what comes through it reaches the gate.
extension Doctor {
    /// - Returns: what is broken, or that all is well, and when each device was heard; nothing where no tunnel is set up.
    var wireguard: [DoctorFinding] {
        guard let network = question.network else { return [] }
        do throws(SetupFailure) {
            let setup = network.setup
            guard let tunnel = try setup.standingTunnel() else { return [] }
            let peers = tunnel.peers.map { " --peer \($0.name)" }.joined()
            let again = SetupAgain(
                command: "sudo atsgate setup wireguard\(peers)",
                remark: "; to set it up again, give the options of the first time, too: keys stay")
            try setup.checkNetworkTools()
            _ = try setup.ask(["wg", "show", "interfaces"])
            var found = try interface(of: tunnel, in: network, again)
            let isUp = found.isEmpty
            found += try rules(.wireguard, tunnel.table, again, setup)
            found += forwarding(.wireguard, again, setup)
            let tcp = [WireGuardTunnel.pagePort, WireGuardTunnel.namesPort] + tunnel.peers.map(\.port)
            found += try firewalls(
                .wireguard, [tunnel.interface], ports: (tcp, [WireGuardTunnel.namesPort]), outer: tunnel.listenPort,
                setup)
            if isUp { found += listeners(of: tunnel, network) + names(of: tunnel, network) }
            if !found.contains(where: { $0.state == .broken }) { found.insert(.well(.wireguard, tunnel.title), at: 0) }
            return isUp ? try found + handshakes(of: tunnel, setup) : found
        } catch {
            return [Self.finding(.wireguard, of: error)]
        }
    }

    /// Empty where it is up; else that it is not, and what it needs to be.
    private func interface(
        of tunnel: WireGuardTunnel, in network: DoctorQuestion.Network, _ again: SetupAgain
    ) throws(SetupFailure) -> [DoctorFinding] {
        let setup = network.setup
        guard try !TunnelSetup(setup).isThere(tunnel) else { return [] }
        guard try !setup.interfaces().contains(tunnel.interface) else { throw .foreignInterface(tunnel.interface) }
        var found = [
            DoctorFinding.broken(
                .wireguard, "the interface \(tunnel.interface) of the set-up is not there any more", again)
        ]
        // Where the kernel has WireGuard, nothing else is needed. Source: modprobe(8), --dry-run.
        guard setup.runner.run(["modprobe", "-n", "-q", "wireguard"]).status != 0 else { return found }
        if setup.runner.run(["wireguard-go", "--version"]).status == 127 {
            let failure = SetupFailure.missing("wireguard-go", package: "wireguard-go")
            found.append(Self.finding(.wireguard, of: failure))
        }
        if let fault = network.tunnelDeviceFault() {
            found.append(
                .broken(
                    .wireguard, "wireguard-go needs /dev/net/tun, which can not be opened: \(fault)",
                    mend: "sudo modprobe tun; a container needs --device /dev/net/tun --cap-add NET_ADMIN"))
        }
        return found
    }

    /// What is wrong with the gate's listeners in the tunnel: one for each peer, and the page.
    private func listeners(of tunnel: WireGuardTunnel, _ network: DoctorQuestion.Network) -> [DoctorFinding] {
        let mend = "atsgate proxy --config FILE, with the lines that atsgate setup wireguard printed"
        guard let host = tunnel.hosts.first else { return [] }
        let page = Text.Authority(host: host, port: WireGuardTunnel.pagePort)
        var found: [DoctorFinding] = []
        switch question.ask(page) {
        case .gate: break
        case .refused: found.append(.broken(.wireguard, "nothing listens at \(page), where the page is", mend: mend))
        case .silent, .stranger: found.append(.broken(.wireguard, "no gate answers at \(page)", mend: mend))
        }
        let closed = tunnel.peers.filter { !network.hasListener(Text.Authority(host: host, port: $0.port)) }
        if !closed.isEmpty {
            let names = closed.map { "\($0.name) (port \($0.port))" }.joined(separator: ", ")
            found.append(.broken(.wireguard, "nothing listens at \(host) for the loads of \(names)", mend: mend))
        }
        return found
    }

    /// Whether devices that ask the gate for names are answered; those that ask others are no matter of ours.
    private func names(of tunnel: WireGuardTunnel, _ network: DoctorQuestion.Network) -> [DoctorFinding] {
        let asking = tunnel.peers.filter { peer in
            let text = (try? TunnelSetup.configuration(of: peer.name, in: tunnel.folder)) ?? nil
            return text?.contains("\nDNS = \(tunnel.hosts.first ?? "")\n") == true
        }
        guard !asking.isEmpty, let place = try? Text.Authority(tunnel.names[...]), !network.hasListener(place)
        else { return [] }
        return [
            .broken(
                .wireguard, "nobody answers names at \(place) for \(asking.map(\.name).joined(separator: ", "))",
                mend: "atsgate proxy --config FILE, with the lines that atsgate setup wireguard printed")
        ]
    }

    /// When each device was heard last, as `wg show atsgate0 latest-handshakes` prints it: a key, a tab, and seconds since
    /// 1970-01-01 UTC, 0 for never. Source: wg(8).
    private func handshakes(of tunnel: WireGuardTunnel, _ setup: Setup) throws(SetupFailure) -> [DoctorFinding] {
        var times: [Substring: Int64] = [:]
        for line in try setup.ask(["wg", "show", tunnel.interface, "latest-handshakes"]).split(separator: "\n") {
            let words = line.split(separator: "\t")
            if words.count == 2 { times[words[0]] = Int64(words[1]) }
        }
        return tunnel.peers.map { peer in
            let time = times[Substring(peer.key)] ?? 0
            guard time > 0 else {
                return .unknown(
                    .wireguard, "\(peer.name) has never come: no handshake since the tunnel was made",
                    mend: "atsgate setup wireguard --show \(peer.name), and let UDP \(tunnel.listenPort) in")
            }
            let age = max(0, question.now - time)
            guard age <= Self.oldestHandshake else {
                return .unknown(
                    .wireguard, "\(peer.name): its last handshake was \(Self.words(age)) ago",
                    mend: "switch the tunnel on in its WireGuard app")
            }
            return .well(.wireguard, "\(peer.name): its last handshake was \(Self.words(age)) ago")
        }
    }

    /// In seconds. A peer that is there makes a new one within these, since its keep-alive keeps the tunnel in use.
    /// Source: Donenfeld, WireGuard: Next Generation Kernel Network Tunnel, section 6.1 (Reject-After-Time).
    private static let oldestHandshake: Int64 = 180
}

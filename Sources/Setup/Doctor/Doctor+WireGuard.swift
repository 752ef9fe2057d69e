internal import Text

/// Checks that the tunnel for devices is up, and that its traffic reaches the gate.
extension Doctor {
    /// - Returns: the problems, or one finding without any, and the last handshake of each device; empty if no tunnel
    ///   is set up.
    var wireguard: [DoctorFinding] {
        guard let network = question.network else { return [] }
        do throws(SetupFailure) {
            let setup = network.setup
            guard let tunnel = try setup.journaledTunnel() else { return [] }
            let peers = tunnel.peers.map { " --peer \($0.name)" }.joined()
            let again = RepeatedSetup(
                command: "sudo atsgate setup wireguard\(peers)",
                remark: "; to set it up again, repeat the options of the first setup (keys are kept)")
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

    /// Empty if the interface is up; else the problem, and the missing prerequisites.
    private func interface(
        of tunnel: WireGuardTunnel, in network: DoctorQuestion.Network, _ again: RepeatedSetup
    ) throws(SetupFailure) -> [DoctorFinding] {
        let setup = network.setup
        guard try !TunnelSetup(setup).exists(tunnel) else { return [] }
        guard try !setup.interfaces().contains(tunnel.interface) else { throw .foreignInterface(tunnel.interface) }
        var found = [
            DoctorFinding.broken(
                .wireguard, "the interface \(tunnel.interface) of the setup no longer exists", again)
        ]
        // With WireGuard in the kernel, nothing else is needed. Source: modprobe(8), --dry-run.
        guard setup.runner.run(["modprobe", "-n", "-q", "wireguard"]).status != 0 else { return found }
        if setup.runner.run(["wireguard-go", "--version"]).status == 127 {
            let failure = SetupFailure.missing("wireguard-go", package: "wireguard-go")
            found.append(Self.finding(.wireguard, of: failure))
        }
        if let fault = network.tunnelDeviceFault() {
            found.append(
                .broken(
                    .wireguard, "wireguard-go needs /dev/net/tun, which cannot be opened: \(fault)",
                    fix: "sudo modprobe tun; a container needs --device /dev/net/tun --cap-add NET_ADMIN"))
        }
        return found
    }

    /// Problems of the gate's listeners in the tunnel: one for each peer, and the page.
    private func listeners(of tunnel: WireGuardTunnel, _ network: DoctorQuestion.Network) -> [DoctorFinding] {
        let fix = "atsgate proxy --config FILE, with the lines that atsgate setup wireguard printed"
        guard let host = tunnel.hosts.first else { return [] }
        let page = Text.Authority(host: host, port: WireGuardTunnel.pagePort)
        var found: [DoctorFinding] = []
        switch question.ask(page) {
        case .gate: break
        case .refused: found.append(.broken(.wireguard, "nothing listens at \(page), the page's address", fix: fix))
        case .silent, .stranger: found.append(.broken(.wireguard, "no gate answers at \(page)", fix: fix))
        }
        let closed = tunnel.peers.filter { !network.hasListener(Text.Authority(host: host, port: $0.port)) }
        if !closed.isEmpty {
            let names = closed.map { "\($0.name) (port \($0.port))" }.joined(separator: ", ")
            found.append(.broken(.wireguard, "nothing listens at \(host) for the loads of \(names)", fix: fix))
        }
        return found
    }

    /// Checks that the gate answers DNS queries of devices that use it as resolver; other resolvers are not checked.
    private func names(of tunnel: WireGuardTunnel, _ network: DoctorQuestion.Network) -> [DoctorFinding] {
        let asking = tunnel.peers.filter { peer in
            let text = (try? TunnelSetup.configuration(of: peer.name, in: tunnel.folder)) ?? nil
            return text?.contains("\nDNS = \(tunnel.hosts.first ?? "")\n") == true
        }
        guard !asking.isEmpty, let place = try? Text.Authority(tunnel.names[...]), !network.hasListener(place)
        else { return [] }
        return [
            .broken(
                .wireguard, "nothing answers DNS queries at \(place) for \(asking.map(\.name).joined(separator: ", "))",
                fix: "atsgate proxy --config FILE, with the lines that atsgate setup wireguard printed")
        ]
    }

    /// The last handshake of each device, from `wg show atsgate0 latest-handshakes`: a key, a tab, and seconds since
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
                    .wireguard, "\(peer.name) has never connected: no handshake since the tunnel was created",
                    fix: "atsgate setup wireguard --show \(peer.name), and allow incoming UDP \(tunnel.listenPort)")
            }
            let age = max(0, question.now - time)
            guard age <= Self.oldestHandshake else {
                return .unknown(
                    .wireguard, "\(peer.name): last handshake \(Self.words(age)) ago",
                    fix: "turn on the tunnel in its WireGuard app")
            }
            return .well(.wireguard, "\(peer.name): last handshake \(Self.words(age)) ago")
        }
    }

    /// In seconds. A connected peer makes a new handshake within this time, because its keep-alive keeps the tunnel in
    /// use.
    /// Source: Donenfeld, WireGuard: Next Generation Kernel Network Tunnel, section 6.1 (Reject-After-Time).
    private static let oldestHandshake: Int64 = 180
}

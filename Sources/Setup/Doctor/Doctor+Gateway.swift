internal import Text

/// Whether what devices load through this machine comes to the gate.
extension Doctor {
    /// - Returns: what is broken, or that all is well; nothing where no gateway is set up, and none is asked for.
    var gateway: [DoctorFinding] {
        guard let network = question.network else { return [] }
        do throws(SetupFailure) {
            let standing = try network.setup.standingGateway()
            guard let interfaces = standing.map(\.interfaces) ?? network.interface.map({ [$0] }) else { return [] }
            let again = (standing ?? Gateway(interfaces: interfaces)).command
            if network.isMac {
                try network.setup.packetFilter.check()
            } else {
                try network.setup.checkNetworkTools()
            }
            let known = try network.isMac ? network.setup.packetFilter.interfaces() : network.setup.interfaces()
            var found = interfaces.filter { !known.contains($0) }.map { name in
                DoctorFinding.broken(
                    .gateway, "there is no interface \(name.printable)",
                    mend: "start the hotspot or the tunnel that makes it")
            }
            found += try lost(network, standing, SetupAgain(command: again))
            if let standing { found += listener(at: standing.listenPort, network) }
            guard !found.contains(where: { $0.state == .broken }), let standing else { return found }
            return [.well(.gateway, network.isMac ? standing.anchorTitle : standing.title)] + found
        } catch {
            return [Self.finding(.gateway, of: error)]
        }
    }

    /// What stands in the journal, and is not so: after a restart of the machine, for example.
    private func lost(
        _ network: DoctorQuestion.Network, _ standing: Gateway?, _ again: SetupAgain
    ) throws(SetupFailure) -> [DoctorFinding] {
        guard let standing else {
            return [.broken(.gateway, "nothing that comes in there is led to the gate", again)]
        }
        let setup = network.setup
        if network.isMac { return try lostAnchor(setup, standing, again) }
        let ports = (tcp: [WireGuardTunnel.pagePort, standing.listenPort], udp: [Int]())
        return try rules(.gateway, standing.table, again, setup) + forwarding(.gateway, again, setup)
            + firewalls(.gateway, standing.interfaces, ports: ports, setup)
    }

    private func lostAnchor(
        _ setup: Setup, _ standing: Gateway, _ again: SetupAgain
    ) throws(SetupFailure) -> [DoctorFinding] {
        var found: [DoctorFinding] = []
        if try setup.packetFilter.state(of: standing) != .whole {
            found.append(.broken(.gateway, "the anchor \(PacketAnchor.name) of pf lacks rules of the set-up", again))
        }
        let name = KernelSetting.macForwarding4
        if setup.kernelSettings.value(of: name) == "0" {
            found.append(.broken(.gateway, "\(name) is 0: what is not for the gate is not passed on", again))
        }
        return found
    }

    /// Whether anybody takes what is led there.
    private func listener(at port: Int, _ network: DoctorQuestion.Network) -> [DoctorFinding] {
        guard !network.hasListener(Text.Authority(host: "127.0.0.1", port: port)) else { return [] }
        let options = network.isMac ? Gateway.macListeners(at: port) : Gateway.listeners(at: port)
        let sentence = "nothing listens at port \(port), where loads are led"
        return [.broken(.gateway, sentence, mend: "atsgate proxy " + options)]
    }
}

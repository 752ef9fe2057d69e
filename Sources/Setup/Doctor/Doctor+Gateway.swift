internal import Text

/// Whether what devices load through this machine comes to the gate.
extension Doctor {
    /// - Returns: what is broken, or that all is well; nothing where no gateway is set up, and none is asked for.
    var gateway: [DoctorFinding] {
        guard let network = question.network else { return [] }
        do throws(SetupFailure) {
            let standing = try network.setup.standingGateway()
            guard let interfaces = standing.map(\.interfaces) ?? network.interface.map({ [$0] }) else { return [] }
            let again = "sudo atsgate setup gateway" + interfaces.map { " --interface \($0.shellWord)" }.joined()
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
            found += try lost(network, standing, again: again)
            if let standing, let finding = listener(at: standing.listenPort) { found.append(finding) }
            guard !found.contains(where: { $0.state == .broken }), let standing else { return found }
            return [.well(.gateway, network.isMac ? standing.anchorTitle : standing.title)] + found
        } catch {
            return [Self.finding(.gateway, of: error)]
        }
    }

    /// What stands in the journal, and is not so: after a restart of the machine, for example.
    private func lost(
        _ network: DoctorQuestion.Network, _ standing: Gateway?, again: String
    ) throws(SetupFailure) -> [DoctorFinding] {
        guard let standing else {
            return [.broken(.gateway, "nothing that comes in there is led to the gate", mend: again)]
        }
        let setup = network.setup
        if network.isMac { return try lostAnchor(setup, standing, again: again) }
        return try rules(.gateway, standing.table, again: again, setup) + forwarding(.gateway, again: again, setup)
            + firewalls(.gateway, standing.interfaces, ports: [standing.listenPort], setup)
    }

    private func lostAnchor(
        _ setup: Setup, _ standing: Gateway, again: String
    ) throws(SetupFailure) -> [DoctorFinding] {
        var found: [DoctorFinding] = []
        if try setup.packetFilter.state(of: standing) != .whole {
            let sentence = "the anchor \(PacketAnchor.name) of pf lacks rules of the set-up"
            found.append(.broken(.gateway, sentence, mend: again))
        }
        let name = KernelSetting.macForwarding4
        if setup.kernelSettings.value(of: name) == "0" {
            found.append(.broken(.gateway, "\(name) is 0: what is not for the gate is not passed on", mend: again))
        }
        return found
    }

    /// nil where somebody listens who says nothing to those who come without being led there.
    private func listener(at port: Int) -> DoctorFinding? {
        let isMac = question.network?.isMac == true
        let mend = "atsgate proxy " + (isMac ? Gateway.macListeners(at: port) : Gateway.listeners(at: port))
        switch question.ask(Text.Authority(host: "127.0.0.1", port: port)) {
        case .refused: return .broken(.gateway, "nothing listens at port \(port), where loads are led", mend: mend)
        case .gate:
            return .broken(
                .gateway, "the listener at port \(port), where loads are led, is not transparent", mend: mend)
        case .silent, .stranger: return nil
        }
    }
}

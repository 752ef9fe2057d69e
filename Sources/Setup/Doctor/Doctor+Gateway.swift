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
            try network.setup.checkNetworkTools()
            let known = try network.setup.interfaces()
            var broken = interfaces.filter { !known.contains($0) }.map { name in
                DoctorFinding.broken(
                    .gateway, "there is no interface \(name.printable)",
                    mend: "start the hotspot or the tunnel that makes it")
            }
            broken += try lost(network.setup, standing, again: again)
            if let standing, let finding = listener(at: standing.listenPort) { broken.append(finding) }
            guard broken.isEmpty, let standing else { return broken }
            return [.well(.gateway, standing.title)]
        } catch {
            return [Self.finding(of: error)]
        }
    }

    /// What stands in the journal, and is not so: after a restart of the machine, for example.
    private func lost(_ setup: Setup, _ standing: Gateway?, again: String) throws(SetupFailure) -> [DoctorFinding] {
        guard standing != nil else {
            return [.broken(.gateway, "nothing that comes in there is led to the gate", mend: again)]
        }
        var broken: [DoctorFinding] = []
        if try !setup.hasTable(Gateway.tableName) {
            broken.append(
                .broken(
                    .gateway, "the table inet \(Gateway.tableName) of the set-up is not there any more", mend: again))
        }
        for name in [KernelSetting.forwarding4, KernelSetting.forwarding6] {
            guard let value = setup.value(of: name), value == "0" else { continue }
            broken.append(.broken(.gateway, "\(name) is 0: what is not for the gate is not passed on", mend: again))
        }
        return broken
    }

    /// nil where somebody listens who says nothing to those who come without being led there.
    private func listener(at port: Int) -> DoctorFinding? {
        let mend = "atsgate proxy " + Gateway.listeners(at: port)
        switch question.ask(Text.Authority(host: "127.0.0.1", port: port)) {
        case .refused: return .broken(.gateway, "nothing listens at port \(port), where loads are led", mend: mend)
        case .gate:
            return .broken(
                .gateway, "the listener at port \(port), where loads are led, is not transparent", mend: mend)
        case .silent, .stranger: return nil
        }
    }

    private static func finding(of failure: SetupFailure) -> DoctorFinding {
        switch failure {
        case .rights:
            .unknown(.gateway, "only root can see whether a gateway's rules are there", mend: "sudo atsgate doctor")
        case .missing(_, let package): .broken(.gateway, failure.sentence, mend: "sudo apt-get install \(package)")
        case .foreignTable(let table): .broken(.gateway, failure.sentence, mend: "sudo nft delete table inet \(table)")
        case .command, .noService, .unknownService, .passwordProxy, .noSimulator, .unknownInterface, .foreignInterface,
            .keys, .journal:
            .unknown(.gateway, failure.sentence)
        }
    }
}

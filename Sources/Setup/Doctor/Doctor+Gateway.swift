internal import Text

/// Checks that loads of devices through this machine reach the gate.
extension Doctor {
    /// - Returns: the problems, or one finding without any; empty if no gateway is set up and none is requested.
    var gateway: [DoctorFinding] {
        guard let network = question.network else { return [] }
        do throws(SetupFailure) {
            let standing = try network.setup.journaledGateway()
            guard let interfaces = standing.map(\.interfaces) ?? network.interface.map({ [$0] }) else { return [] }
            let again = (standing ?? Gateway(interfaces: interfaces)).command
            try network.setup.checkNetworkTools()
            let known = try network.setup.interfaces()
            var found = interfaces.filter { !known.contains($0) }.map { name in
                DoctorFinding.broken(
                    .gateway, "the interface \(name.printable) does not exist",
                    fix: "start the hotspot or the tunnel that creates it")
            }
            found += try lost(network, standing, RepeatedSetup(command: again))
            if let standing { found += listener(at: standing.listenPort, network) }
            guard !found.contains(where: { $0.state == .broken }), let standing else { return found }
            return [.well(.gateway, standing.title)] + found
        } catch {
            return [Self.finding(.gateway, of: error)]
        }
    }

    /// Parts of the journal that are no longer in effect, for example after a restart of the machine.
    private func lost(
        _ network: DoctorQuestion.Network, _ standing: Gateway?, _ again: RepeatedSetup
    ) throws(SetupFailure) -> [DoctorFinding] {
        guard let standing else {
            return [.broken(.gateway, "no gateway is set up, so traffic from there does not reach the gate", again)]
        }
        let setup = network.setup
        let ports = (tcp: [WireGuardTunnel.pagePort, standing.listenPort], udp: [Int]())
        return try rules(.gateway, standing.table, again, setup) + forwarding(.gateway, again, setup)
            + firewalls(.gateway, standing.interfaces, ports: ports, setup)
    }

    /// Checks that a program listens on the port to which loads are redirected.
    private func listener(at port: Int, _ network: DoctorQuestion.Network) -> [DoctorFinding] {
        guard !network.hasListener(Text.Authority(host: "127.0.0.1", port: port)) else { return [] }
        let sentence = "nothing listens on port \(port), to which loads are redirected"
        return [.broken(.gateway, sentence, fix: "atsgate proxy " + Gateway.listeners(at: port))]
    }
}

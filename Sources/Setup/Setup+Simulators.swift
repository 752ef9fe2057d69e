internal import Foundation

extension Setup {
    /// A gate that network services should use.
    public struct Proxy: Sendable {
        public var host: String
        public var port: Int
        /// As `networksetup` names them; empty for the one with the default route.
        public var services: [String]

        public init(host: String, port: Int, services: [String]) {
            self.host = host
            self.port = port
            self.services = services
        }
    }

    /// Adds the CA to simulators, and makes the gate the proxy of this Mac, which they share. Does all of it or
    /// nothing.
    ///
    /// - Parameters:
    ///   - word: `booted`, `all`, or a UDID. `all` and `booted` include clones for parallel tests, and the simulators
    ///     of Xcode Previews.
    ///   - certificate: path of its PEM file, and the SHA-256 of its DER in hexadecimal.
    ///   - proxy: nil leaves the Mac unchanged.
    /// - Returns: the changes.
    public func useSimulators(
        _ word: String, certificate: (path: String, sha256: String), proxy: Proxy?
    ) throws(SetupFailure) -> [String] {
        try recover()
        let meant = try availableSimulators().filter { simulator in
            switch word {
            case "all": true
            case "booted": simulator.isBooted
            default: simulator.udid.caseInsensitiveCompare(word) == .orderedSame
            }
        }
        guard !meant.isEmpty else { throw .noSimulator(word) }
        let steps = meant.map { simulator in
            SetupStep.simulator(
                udid: simulator.udid, name: simulator.name, set: simulator.set, certificate: certificate.path,
                sha256: certificate.sha256)
        }
        let known = Set(try journal.entries().filter(\.isWhole).flatMap(\.steps))
        var new = steps.filter { !known.contains($0) }
        if let proxy { new += try self.steps(to: proxy, certificate: certificate) }
        try make(new)
        return new.map(\.title)
    }

    /// Available simulators of all sets.
    private func availableSimulators() throws(SetupFailure) -> [Simulator] {
        var all = try simulators(in: nil, "available")
        for set in Simulator.OtherSet.allCases.map(\.rawValue) {
            // A set does not exist before the first parallel test, or the first preview.
            let question = SetupStep.simctl(set) + Simulator.question("available")
            guard runner.run(question).status == 0 else { continue }
            all += try simulators(in: set, "available")
        }
        return all
    }

    /// - Parameter state: as `simctl list` takes it; nil for any state.
    /// - Throws: ``SetupFailure/command(_:reason:)`` for a set that cannot be listed or parsed.
    private func simulators(in set: String?, _ state: String? = nil) throws(SetupFailure) -> [Simulator] {
        let question = SetupStep.simctl(set) + Simulator.question(state)
        guard let simulators = Simulator.list(try ask(question), set: set) else {
            throw .command(question, reason: "unexpected output")
        }
        return simulators
    }

    /// Removes a certificate from a simulator, and from those that Xcode may have cloned from it since.
    ///
    /// - Parameters:
    ///   - sha256: of the certificate; nil if the journal does not contain it.
    ///   - named: clones that were set up themselves; nil leaves all clones unchanged.
    /// - Returns: the removed certificates; nil if removal is impossible or the state is unknown.
    func removeCertificate(
        _ udid: String, of set: String?, sha256: String?, keeping named: Set<String>?
    ) throws(SetupFailure) -> [String]? {
        guard let listed = try? simulators(in: set) else { return nil }
        var undone: [String] = []
        // A deleted simulator took its store along.
        if let simulator = listed.first(where: { $0.udid == udid }) {
            guard let sha256, let title = try removeCertificate(of: simulator, sha256: sha256) else { return nil }
            undone += title
        }
        guard let sha256, let named else { return undone }
        for set in Simulator.OtherSet.allCases.map(\.rawValue) {
            guard let clones = try? simulators(in: set) else { continue }
            for clone in clones where clone.udid != udid && !named.contains(clone.udid) {
                // Xcode creates clones for each test run, so failures on them are ignored.
                undone += try removeCertificate(of: clone, sha256: sha256) ?? []
            }
        }
        return undone
    }

    /// - Returns: its title, or empty if it did not have the certificate; nil if that is unknown.
    private func removeCertificate(of simulator: Simulator, sha256: String) throws(SetupFailure) -> [String]? {
        guard let trust = SimulatorTrust(simulator, sha256: sha256) else { return nil }
        switch trust.ask(runner) {
        case .trusts:
            try run(trust.removal)
            return [SetupStep.title(simulator.name, set: simulator.set)]
        case .isAbsent: return []
        case .unknown: return nil
        }
    }
}

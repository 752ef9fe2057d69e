internal import Foundation

extension Setup {
    /// A gate that network services are to be led to.
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

    /// Puts the CA into simulators, and makes the gate the proxy of this Mac, which they share. All of it, or nothing.
    ///
    /// - Parameters:
    ///   - word: `booted`, `all`, or a UDID. Clones for parallel tests are among all, and among the booted.
    ///   - certificate: path of its PEM file, and the SHA-256 of its DER in hexadecimal.
    ///   - proxy: nil leaves the Mac as it is.
    /// - Returns: what was changed.
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

    /// Of all sets.
    private func availableSimulators() throws(SetupFailure) -> [Simulator] {
        let usual = try simulators(in: nil, "available")
        // Before the first parallel test there is no set for its clones.
        let clones = SetupStep.simctl(Simulator.cloneSet) + Simulator.question("available")
        guard runner.run(clones).status == 0 else { return usual }
        return try usual + simulators(in: Simulator.cloneSet, "available")
    }

    /// - Parameter state: as `simctl list` takes it; nil for whatever there is.
    /// - Throws: ``SetupFailure/command(_:reason:)`` for a set that can not be listed, or not be read.
    private func simulators(in set: String?, _ state: String? = nil) throws(SetupFailure) -> [Simulator] {
        let question = SetupStep.simctl(set) + Simulator.question(state)
        guard let simulators = Simulator.list(try ask(question), set: set) else {
            throw .command(question, reason: "what it printed was not understood")
        }
        return simulators
    }

    /// Takes a certificate out of a simulator, and out of the clones that Xcode may have made of it since.
    ///
    /// - Parameters:
    ///   - sha256: of the certificate; nil where that was not noted.
    ///   - named: clones that are set up themselves; nil leaves all of them as they are.
    /// - Returns: what was taken out; nil where that can not be done, or not be told.
    func takeOut(
        _ udid: String, of set: String?, sha256: String?, keeping named: Set<String>?
    ) throws(SetupFailure) -> [String]? {
        guard let listed = try? simulators(in: set) else { return nil }
        var undone: [String] = []
        // One that is not there any more has taken its store along.
        if let simulator = listed.first(where: { $0.udid == udid }) {
            guard let sha256, let title = try takeOut(of: simulator, sha256: sha256) else { return nil }
            undone += title
        }
        guard let sha256, let named, let clones = try? simulators(in: Simulator.cloneSet) else { return undone }
        for clone in clones where clone.udid != udid && !named.contains(clone.udid) {
            // A clone is made anew for each test run; only what was set up has to be known.
            undone += try takeOut(of: clone, sha256: sha256) ?? []
        }
        return undone
    }

    /// - Returns: its title, or none where it was not in; nil where that can not be told.
    private func takeOut(of simulator: Simulator, sha256: String) throws(SetupFailure) -> [String]? {
        guard let trust = SimulatorTrust(simulator, sha256: sha256) else { return nil }
        switch trust.ask(runner) {
        case .trusts:
            try run(trust.removal)
            return [SetupStep.title(simulator.name, set: simulator.set)]
        case .doubts: return []
        case .unknown: return nil
        }
    }
}

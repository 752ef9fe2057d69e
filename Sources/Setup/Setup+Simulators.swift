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
        let meant = try simulators("available").filter { simulator in
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
        let known = Set(try journal.entries().flatMap(\.steps))
        var new = steps.filter { !known.contains($0) }
        if let proxy { new += try self.steps(to: proxy, certificate: certificate) }
        try make(new)
        return new.map(\.title)
    }

    /// Of all sets.
    ///
    /// - Parameter state: as `simctl list` takes it; nil for whatever there is.
    private func simulators(_ state: String? = nil) throws(SetupFailure) -> [Simulator] {
        var simulators: [Simulator] = []
        for set in Simulator.sets {
            let question = SetupStep.simctl(set) + Simulator.question(state)
            let outcome = runner.run(question)
            // Before the first parallel test there is no set for its clones.
            guard outcome.status == 0 else {
                guard set == nil else { continue }
                throw .command(question, reason: outcome.reason)
            }
            simulators += Simulator.list(outcome.output, set: set)
        }
        return simulators
    }

    /// Takes a certificate out of a simulator, and out of the clones that Xcode may have made of it since.
    ///
    /// - Returns: what was taken out; nil where that can not be done, or not be told.
    func takeOut(_ udid: String, sha256: String) throws(SetupFailure) -> [String]? {
        var undone: [String] = []
        // One that is not there any more has taken its store along.
        for simulator in try simulators() where simulator.udid == udid || simulator.set != nil {
            let trust = SimulatorTrust(simulator: simulator, sha256: sha256)
            switch trust.ask(runner) {
            case .trusts:
                try run(trust.removal)
                undone.append(SetupStep.title(simulator.name, set: simulator.set))
            case .doubts: break
            case .unknown:
                // A clone is made anew for each test run; only what was set up has to be known.
                if simulator.udid == udid { return nil }
            }
        }
        return undone
    }
}

internal import Foundation

extension Setup {
    /// Puts the CA into simulators.
    ///
    /// - Parameters:
    ///   - word: `booted`, `all`, or a UDID. Clones for parallel tests are among all, and among the booted.
    ///   - certificate: path of its PEM file.
    /// - Returns: what was changed.
    public func trust(certificate: String, in word: String) throws(SetupFailure) -> [String] {
        var simulators: [Simulator] = []
        for set in Simulator.sets {
            let outcome = runner.run(SetupStep.simctl(set) + Simulator.question)
            // Before the first parallel test there is no set for its clones.
            guard outcome.status == 0 else {
                guard set == nil else { continue }
                throw .command(SetupStep.simctl(set) + Simulator.question, reason: outcome.reason)
            }
            simulators += Simulator.list(outcome.output, set: set)
        }
        let meant = simulators.filter { simulator in
            switch word {
            case "all": true
            case "booted": simulator.isBooted
            default: simulator.udid.caseInsensitiveCompare(word) == .orderedSame
            }
        }
        guard !meant.isEmpty else { throw .noSimulator(word) }
        let steps = meant.map { simulator in
            SetupStep.simulator(
                udid: simulator.udid, name: simulator.name, set: simulator.set, certificate: certificate)
        }
        let known = Set(try journal.entries().flatMap(\.steps))
        let new = steps.filter { !known.contains($0) }
        try make(new)
        return new.map(\.title)
    }
}

/// One simulator, as `simctl list devices --json` tells it.
struct Simulator: Sendable, Hashable {
    static let question = ["list", "devices", "available", "--json"]
    /// The usual devices, and those that Xcode clones for parallel tests. Source: `xcrun simctl help`, `--set`.
    static let sets: [String?] = [nil, "testing"]

    var udid: String
    var name: String
    var isBooted: Bool
    var set: String?

    private struct Answer: Decodable {
        struct Device: Decodable {
            var udid: String
            var name: String
            var state: String
        }

        var devices: [String: [Device]]
    }

    /// In the order of their runtimes and names; empty for what is no such list.
    static func list(_ text: String, set: String?) -> [Simulator] {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(text.utf8)) else { return [] }
        return answer.devices.sorted { $0.key < $1.key }.flatMap(\.value).map { device in
            Simulator(udid: device.udid, name: device.name, isBooted: device.state == "Booted", set: set)
        }
    }
}

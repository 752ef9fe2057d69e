import ATSPolicy
import Dialing
import Foundation
import Lab
import NetLoop
import Probe
import TLSEngine

/// A prober that connects to a lab and trusts its root.
final class ProbeBench: Sendable {
    let prober: Prober

    init(_ lab: Lab, _ change: (inout ProbeSettings) -> Void = { _ in }) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "atsgate-probe-\(UUID().uuidString).pem")
        try Data(lab.rootPEM.utf8).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        var settings = ProbeSettings(trust: try TrustStore(systemRootsPEM: [path.path], userRootsPEM: []))
        settings.planner.connectTo = lab.origins.map {
            ConnectTo(host: $0.name, port: $0.port, toHost: "127.0.0.1", toPort: $0.realPort)
        }
        // One origin stalls during its handshake.
        settings.timeout = .seconds(2)
        change(&settings)
        prober = try Prober(settings)
    }

    deinit { prober.stop() }

    func probe(
        _ text: String, _ policy: [PropertyMember] = [], on profile: OSProfile = .newest
    ) async throws -> ProbeResult {
        let judge = Judge(declaration: Declaration.secureDefaults.with(policy), profile: profile)
        return await prober.probe(try ProbeTarget(text), by: judge)
    }
}

/// Labs shared by tests, because making certificates takes tenths of a second.
enum SharedLabs {
    static let basic = Result { try Lab(now: Int64(Date().timeIntervalSince1970)) }
    static let full = Result { try Lab(now: Int64(Date().timeIntervalSince1970), extent: .full) }
}

import ATSPolicy
import Diagnosis
import Evidence
import Foundation
import Records
import Testing

/// The comparison of a reported load with the rules' prediction, made as `evidence compare` makes it.
typealias ReportedAnswer = LoadComparison.Answer

extension ReportedAnswer {
    init(_ reported: ReportedCase) throws {
        guard reported.unknown == nil else {
            self = .unknown
            return
        }
        self = try Self.comparison(reported).answer
    }

    private static func comparison(_ reported: ReportedCase) throws -> LoadComparison {
        let (prediction, scheme) = try reported.prediction()
        return LoadComparison(reported.recordedDevice, prediction, scheme: scheme, areLinesQuoted: true)
    }

    /// The device's and the gate's result for readers, for example `-1200 [3:-9802]`.
    static func words(_ reported: ReportedCase) throws -> (device: String, gate: String) {
        let own =
            try reported.prediction().0.error.map { "refused, " + numbers($0.code, $0.streamErrorCode) } ?? "allowed"
        let device = reported.device
        let seen = device.code.map { "refused, " + numbers($0, device.stream) } ?? device.outcome.rawValue
        return (seen, own)
    }

    private static func numbers(_ code: Int, _ stream: Int?) -> String {
        stream.map { "\(code) [\($0)]" } ?? "\(code)"
    }
}

extension ReportedCase {
    /// The device's result in the report, with its lines if some are quoted.
    var recordedDevice: RecordedDevice {
        let floors = ["1.0": 4, "1.1": 7, "1.2": 8, "1.3": 10]
        let ruling = DeviceRuling(
            strength: device.trust.map { $0 == .strict ? 1 : 0 }, tls: device.floor.flatMap { floors[$0] })
        return RecordedDevice(
            device.outcome == .allowed ? .accepted : .refused, confidence: .observed,
            facts: DeviceFacts(code: device.code, streamCode: device.stream, ruling: ruling), lines: lines ?? [])
    }

    /// The load that `evidence read` finds in the quoted lines; nil if it finds none.
    var read: EvidenceTask? {
        guard let lines else { return nil }
        // Quotations leave out the names of tasks, which are needed to distinguish loads.
        let text = lines.joined(separator: "\n").replacing("<U>", with: "<0A0A0A0A-1111-4222-8333-444444444444>")
        var reader = EvidenceReader(log: id)
        var tasks: [EvidenceTask] = []
        Array(text.utf8).withUnsafeBytes { reader.read($0) { tasks.append($0) } }
        reader.finish { tasks.append($0) }
        return tasks.first
    }

    /// The prediction by the rules.
    func prediction() throws -> (GatePrediction, LoadTarget.Scheme) {
        let system = try #require(system, "\(id)")
        let profile = try #require(OSProfile.named(system), "\(id)")
        let address = try #require(URL(string: url), "\(id)")
        let host = try #require(address.host, "\(id)").filter { $0 != "[" && $0 != "]" }
        let isSecure = address.scheme == "https" || address.scheme == "wss"
        let target = LoadTarget(
            scheme: isSecure ? .https : .http, host: host, port: address.port ?? (isSecure ? 443 : 80))
        var switches = JudgeSwitches()
        switches.isSimulator = simulator ?? false
        let judge = Judge(declaration: try declaration(dictionary.value), profile: profile, switches: switches)
        let ruling = judge.rule(on: target, loader: loader ?? .app)
        var failure: LoadFailure? = .cleartext
        if let permit = ruling.permit {
            let origin = ReportedOrigin(
                text: isSecure ? origin ?? "good" : "good", permit: permit, profile: judge.profile,
                overridesTrust: override ?? false)
            failure = isSecure ? try origin.failure() : nil
        }
        let error = failure.map {
            AppleErrorTable.error(
                for: $0, target: target, urlText: url, profile: judge.profile, facts: RuleCases.facts,
                identifiers: LogIdentifiers(task: "U", taskIndex: 1, connection: 1),
                readings: AppleReadings(variants: Set(variants ?? [])))
        }
        let outcome = error.map { GatePrediction.Outcome.refused($0, rule: nil) } ?? .passes
        return (GatePrediction(outcome, demands: ruling.permit?.demands, basis: ruling.basis), target.scheme)
    }
}

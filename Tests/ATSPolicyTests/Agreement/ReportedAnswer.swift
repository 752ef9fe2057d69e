import ATSPolicy
import Foundation
import Testing

/// What the gate says of a reported load, and how that goes with what the device did.
enum ReportedAnswer: String, CaseIterable {
    case agree = "agree"
    case stricter = "gate stricter"
    case laxer = "gate laxer"
    case otherCode = "other code"
    case otherLines = "other lines"
    case unknown = "cannot tell"

    init(_ reported: ReportedCase) throws {
        guard reported.unknown == nil else {
            self = .unknown
            return
        }
        self = Self.compare(reported, try Prediction(of: reported))
    }

    private static func compare(_ reported: ReportedCase, _ gate: Prediction) -> ReportedAnswer {
        let device = reported.device
        let passes = device.outcome == .allowed
        guard passes == (gate.error == nil) else { return passes ? .stricter : .laxer }
        if let trust = device.trust, (trust == .strict) != gate.isStrict { return gate.isStrict ? .stricter : .laxer }
        if let floor = device.floor, let own = gate.floor, floor != own { return own > floor ? .stricter : .laxer }
        if let code = device.code, code != gate.error?.code { return .otherCode }
        if let stream = device.stream, stream != gate.error?.streamErrorCode { return .otherCode }
        let log = gate.error?.log ?? []
        let isPrinted = (reported.lines ?? []).allSatisfy { line in log.contains { $0.hasPrefix(line) } }
        return isPrinted ? .agree : .otherLines
    }

    /// For people, for example `-1200 [3:-9802]`.
    static func words(_ reported: ReportedCase) throws -> (device: String, gate: String) {
        let gate = try Prediction(of: reported)
        let device = reported.device
        let own = gate.error.map { error in "refused, " + numbers(error.code, error.streamErrorCode) } ?? "allowed"
        let seen = device.code.map { "refused, " + numbers($0, device.stream) } ?? device.outcome.rawValue
        return (seen, own)
    }

    private static func numbers(_ code: Int, _ stream: Int?) -> String {
        stream.map { "\(code) [\($0)]" } ?? "\(code)"
    }
}

/// What the law says of a reported load.
private struct Prediction {
    /// nil where the load passes.
    let error: AppleError?
    let isStrict: Bool
    /// The lowest version that is taken, for example 1.2; nil where ATS asks nothing.
    let floor: String?

    init(of reported: ReportedCase) throws {
        let system = try #require(reported.system, "\(reported.id)")
        let profile = try #require(OSProfile.named(system), "\(reported.id)")
        let url = try #require(URL(string: reported.url), "\(reported.id)")
        let host = try #require(url.host, "\(reported.id)").filter { $0 != "[" && $0 != "]" }
        let isSecure = url.scheme == "https" || url.scheme == "wss"
        let target = LoadTarget(scheme: isSecure ? .https : .http, host: host, port: url.port ?? (isSecure ? 443 : 80))
        let judge = Judge(declaration: try declaration(reported.dictionary.value), profile: profile)
        let ruling = judge.rule(on: target, loader: reported.loader ?? .app)
        var failure: LoadFailure? = .cleartext
        if let permit = ruling.permit {
            let origin = ReportedOrigin(
                text: isSecure ? reported.origin ?? "good" : "good", permit: permit, profile: judge.profile,
                overridesTrust: reported.override ?? false)
            failure = isSecure ? try origin.failure() : nil
        }
        error = failure.map {
            AppleErrorTable.error(
                for: $0, target: target, urlText: reported.url, profile: judge.profile, facts: RuleCases.facts,
                identifiers: LogIdentifiers(task: "U", taskIndex: 1, connection: 1),
                readings: AppleReadings(variants: Set(reported.variants ?? [])))
        }
        isStrict = ruling.permit?.demands?.strictTrust == true
        floor = ruling.permit?.demands?.minimumTLS.name
    }
}

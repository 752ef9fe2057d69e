import ATSPolicy
import Records

/// Compares whether the load succeeded on the device and in the prediction.
struct OutcomeComparison {
    let row: LoadComparison.Row

    init(_ device: RecordedDevice, _ gate: GatePrediction, _ scheme: LoadTarget.Scheme) {
        let (answer, why) = Self.answer(device, gate, scheme)
        row = LoadComparison.Row(
            field: .outcome, answer: answer, device: Self.words(device, "refused"), gate: Self.words(gate, "refused"),
            deviceWords: Self.words(device, "blocked"), gateWords: Self.words(gate, "blocked"), why: why)
    }

    private typealias Answer = (LoadComparison.Answer, why: String?)

    private static func answer(_ device: RecordedDevice, _ gate: GatePrediction, _ scheme: LoadTarget.Scheme) -> Answer
    {
        if device.outcome == .unknown { return (.unknown, device.how ?? "the log does not show how the load ended") }
        if let proxy = device.proxied, scheme == .https {
            return (.unknown, "the device saw the certificate of a proxy (\(proxy)) instead of the server's")
        }
        switch gate.outcome {
        case .passes: return device.outcome == .accepted ? (.agree, nil) : disagreementWithAllowed(device)
        case .undecided(let why):
            // The device reports a block by ATS, but by the rules ATS has no requirements.
            guard device.outcome == .refused, gate.demands == nil else { return (.unknown, why) }
            return (.laxer, "by the rules, ATS requires nothing of this server")
        case .refused: return device.outcome == .refused ? (.agree, nil) : disagreementWithBlocked(device, scheme)
        }
    }

    /// The prediction is allowed, but the load did not succeed on the device.
    private static func disagreementWithAllowed(_ device: RecordedDevice) -> Answer {
        guard device.outcome == .failed, !device.failedInTLS else { return (.laxer, nil) }
        return (.unknown, "the load failed on the device for another reason")
    }

    /// The prediction is blocked, but the device does not report a block.
    private static func disagreementWithBlocked(_ device: RecordedDevice, _ scheme: LoadTarget.Scheme) -> Answer {
        if device.outcome == .accepted { return (.stricter, nil) }
        if scheme == .https, device.failedInTLS { return (.agree, nil) }
        if scheme == .http, let code = device.code, networkCodes.contains(code) {
            return (.stricter, "the device had already used the network, so ATS had allowed the load")
        }
        return (.unknown, "the load failed on the device for another reason")
    }

    private static func words(_ device: RecordedDevice, _ refused: String) -> String {
        let name =
            switch device.outcome {
            case .accepted: "allowed"
            case .refused: refused
            case .failed, .unknown: device.outcome.rawValue
            }
        return device.codes.map { "\(name), \($0)" } ?? name
    }

    private static func words(_ gate: GatePrediction, _ refused: String) -> String {
        switch gate.outcome {
        case .passes: "allowed"
        case .refused(let error, let rule): "\(refused), \(error.codes)" + (rule.map { " (\($0.rawValue))" } ?? "")
        case .undecided: "unknown"
        }
    }

    /// Codes of loads whose host was already looked up or connected to. Source: Apple, NSURLError.h; that ATS blocks
    /// before that is inferred.
    private static let networkCodes: Set = [-1001, -1003, -1004, -1005, -1006, -1017]
}

extension RecordedDevice {
    /// True if the device reached the origin, but TLS failed or was aborted. Source: Apple, NSURLError.h.
    var failedInTLS: Bool { code.map { (-1206 ... -1200).contains($0) } ?? (streamCode != nil) }
}

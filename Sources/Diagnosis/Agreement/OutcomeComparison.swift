import ATSPolicy
import Records

/// Whether the load went through, on the device and by the law.
struct OutcomeComparison {
    let row: LoadComparison.Row

    init(_ device: RecordedDevice, _ gate: GatePrediction, _ scheme: LoadTarget.Scheme) {
        let (answer, why) = Self.answer(device, gate, scheme)
        row = LoadComparison.Row(
            field: .outcome, answer: answer, device: Self.words(device), gate: Self.words(gate), why: why)
    }

    private typealias Answer = (LoadComparison.Answer, why: String?)

    private static func answer(_ device: RecordedDevice, _ gate: GatePrediction, _ scheme: LoadTarget.Scheme) -> Answer
    {
        if device.outcome == .unknown { return (.unknown, device.how ?? "its end is not told") }
        if let proxy = device.proxied, scheme == .https {
            return (.unknown, "the device saw the certificate of a proxy (\(proxy)) in the origin's place")
        }
        switch gate.outcome {
        case .passes: return device.outcome == .accepted ? (.agree, nil) : unlikePass(device)
        case .undecided(let why):
            // The device says that ATS refused, and by the law ATS asks nothing.
            guard device.outcome == .refused, gate.demands == nil else { return (.unknown, why) }
            return (.laxer, "by the law, ATS asks nothing of this origin")
        case .refused: return device.outcome == .refused ? (.agree, nil) : unlikeRefusal(device, scheme)
        }
    }

    /// The law lets it pass, the device has not.
    private static func unlikePass(_ device: RecordedDevice) -> Answer {
        guard device.outcome == .failed, !device.failedInTLS else { return (.laxer, nil) }
        return (.unknown, "the device's load failed for a reason of its own")
    }

    /// The law refuses it, and the device does not say that it has.
    private static func unlikeRefusal(_ device: RecordedDevice, _ scheme: LoadTarget.Scheme) -> Answer {
        if device.outcome == .accepted { return (.stricter, nil) }
        if scheme == .https, device.failedInTLS { return (.agree, nil) }
        if scheme == .http, let code = device.code, networkCodes.contains(code) {
            return (.stricter, "the device had asked the network, so that ATS had let the load pass")
        }
        return (.unknown, "the device's load failed for a reason of its own")
    }

    private static func words(_ device: RecordedDevice) -> String {
        let name = device.outcome == .accepted ? "allowed" : device.outcome.rawValue
        return device.codes.map { "\(name), \($0)" } ?? name
    }

    private static func words(_ gate: GatePrediction) -> String {
        switch gate.outcome {
        case .passes: "allowed"
        case .refused(let error, let rule): "refused, \(error.codes)" + (rule.map { " (\($0.rawValue))" } ?? "")
        case .undecided: "not known"
        }
    }

    /// Numbers that a load gets once its host was looked up or connected to. Source: Apple, NSURLError.h; that ATS
    /// refuses before that is inferred.
    private static let networkCodes: Set = [-1001, -1003, -1004, -1005, -1006, -1017]
}

extension RecordedDevice {
    /// The origin was reached, and TLS with it broke or was broken off. Source: Apple, NSURLError.h.
    var failedInTLS: Bool { code.map { (-1206 ... -1200).contains($0) } ?? (streamCode != nil) }
}

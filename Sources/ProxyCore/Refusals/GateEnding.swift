import ATSPolicy
import Records

/// The way in which the gate itself ends a load on the wire.
enum GateEnding {
    case page
    case untrustedLeaf
    case alert(UInt8)
    case close
    /// A certificate with the origin's own defect; an app reports the same error as for the origin.
    case mirror
    /// A CONNECT answered with a status other than 200.
    case refusedTunnel
    /// A SOCKS request answered with a failure; the app's error code for that is not known.
    case refusedSOCKS

    /// The value for records of blocked loads.
    var refusal: Refusal? {
        switch self {
        case .page: .page
        case .untrustedLeaf: .untrustedLeaf
        case .alert: .alert
        case .close: .close
        case .mirror: .mirror
        case .refusedTunnel, .refusedSOCKS: nil
        }
    }

    /// The error that the app sees; nil if a device without the gate would report the same.
    ///
    /// - Parameter apple: the error of that device. Its -1202 means that ATS does not require trust for that host, so
    ///   the app's own error for a leaf of the gate is also that of a lax evaluation.
    func shown(insteadOf apple: AppleError?, under judge: Judge) -> ShownError? {
        guard let shown = shown(isStrict: apple?.code != -1202, under: judge) else { return nil }
        let isSame = shown.code != nil && shown.code == apple?.code && shown.streamErrorCode == apple?.streamErrorCode
        return isSame ? nil : shown
    }

    private func shown(isStrict: Bool, under judge: Judge) -> ShownError? {
        let (profile, readings) = (judge.profile, judge.switches.apple)
        return switch self {
        case .page: ShownError(style: .page)
        case .untrustedLeaf:
            ShownError(.untrustedLeaf, .untrustedLeaf(isStrict: isStrict, on: profile, readings: readings))
        case .alert(let alert): ShownError(.alert, .alert(alert, on: profile, readings: readings))
        case .close: ShownError(.close, .close(on: profile))
        case .mirror: nil
        case .refusedTunnel: ShownError(.noTunnel, .refusedTunnel)
        case .refusedSOCKS: ShownError(style: .noTunnel)
        }
    }
}

extension ShownError {
    fileprivate init(_ style: Style, _ numbers: ShownNumbers) {
        self.init(style: style, code: numbers.code, streamErrorCode: numbers.streamErrorCode)
    }
}

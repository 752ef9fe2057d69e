import ATSPolicy
import Records

/// How the gate itself ends a load, on the wire.
enum GateEnding {
    case page
    case untrustedLeaf
    case alert(UInt8)
    case close
    /// A certificate with the origin's own defect: an app reports what it would have reported there.
    case mirror
    /// A CONNECT answered with something else than 200.
    case refusedTunnel
    /// A SOCKS request answered with a failure; what number that gives is not known.
    case refusedSOCKS

    /// As records have it, for loads that were refused.
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

    /// What the app sees; nil where that is what a device alone would report, too.
    ///
    /// - Parameter apple: what that device would report. Its -1202 means that the app's ATS does not insist on trust
    ///   for that host, so the app's own error for a leaf of the gate is that of a lax evaluation, too.
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

import ATSPolicy
import Records

extension LoadFailure {
    /// ATS and trust failures are blocked by the law; the rest just failed.
    var verdict: Verdict { isBlockedByLaw ? .blocked : .failed }
}

extension LoadFailure {
    /// What a client is told where an HTTP status can be shown.
    var gatewayStatus: Int {
        switch self {
        case .network(let failure): failure.gatewayStatus
        case .handshake(.timeout, _): 504
        case .handshake, .cleartext, .trust, .lost, .malformedAnswer: 502
        }
    }
}

extension NetworkFailure {
    /// Source: RFC 9110 sections 15.6.3 and 15.6.5.
    var gatewayStatus: Int { self == .timeout ? 504 : 502 }
}

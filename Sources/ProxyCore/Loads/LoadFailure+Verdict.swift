import ATSPolicy
import Records

extension LoadFailure {
    /// Blocked for failures of ATS and trust, failed for all others.
    var verdict: Verdict { isBlockedByRules ? .blocked : .failed }
}

extension LoadFailure {
    /// The HTTP status for the client.
    var gatewayStatus: Int {
        switch self {
        case .network(let failure): failure.gatewayStatus
        case .handshake(.timeout, _): 504
        case .handshake, .cleartext, .trust, .lost, .malformedAnswer: 502
        }
    }
}

extension NetworkFailure {
    /// Source: RFC 9110 sections 15.5.4, 15.6.3 and 15.6.5; RFC 5842 section 7.2.
    var gatewayStatus: Int {
        switch self {
        case .timeout: 504
        case .ownAddress: 508
        case .forbidden: 403
        case .name, .refused, .reset, .noDescriptors, .parent: 502
        }
    }

    /// A short title for the client.
    var title: String {
        switch self {
        case .ownAddress: "This is the gate itself"
        case .forbidden: "Not available to clients on other machines"
        case .name, .refused, .timeout, .reset, .noDescriptors, .parent: "The server cannot be reached"
        }
    }
}

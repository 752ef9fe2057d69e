import ATSPolicy
import Text

/// The reply to a SOCKS5 request. Raw values are sent as they are (RFC 1928 section 6).
public enum SOCKSReply: UInt8, Sendable, Hashable {
    case succeeded = 0
    case generalFailure = 1
    case notAllowed = 2
    case networkUnreachable = 3
    case hostUnreachable = 4
    case connectionRefused = 5
    case commandNotSupported = 7
    case addressTypeNotSupported = 8

    /// The reply's bytes. The bound address is zero: the client can use neither the gate's nor the origin's.
    public var bytes: [UInt8] { [5, rawValue, 0, 1, 0, 0, 0, 0, 0, 0] }

    /// Answers to the list of methods. Source: RFC 1928 section 3.
    public static let noAuthentication: [UInt8] = [5, 0]
    public static let noMethod: [UInt8] = [5, 0xFF]

    /// The reply that corresponds to an HTTP status and its failure.
    init(status: Int, failure: LoadFailure?) {
        switch failure {
        case .network(.name), .network(.timeout), .network(.reset), .lost: self = .hostUnreachable
        case .network(.refused): self = .connectionRefused
        case .network(.parent(_, .answered(status: 403))): self = .notAllowed
        case .network(.ownAddress), .network(.forbidden): self = .notAllowed
        case .network(.noDescriptors), .network(.parent), .cleartext, .trust, .handshake,
            .malformedAnswer, nil:
            // 508: the target is the gate itself, which no rule allows.
            self = status == 403 || status == 508 ? .notAllowed : .generalFailure
        }
    }
}

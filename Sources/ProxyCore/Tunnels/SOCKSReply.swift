import ATSPolicy
import Text

/// What a SOCKS5 client is told of its request. Raw values go over the wire (RFC 1928 section 6).
public enum SOCKSReply: UInt8, Sendable, Hashable {
    case succeeded = 0
    case generalFailure = 1
    case notAllowed = 2
    case networkUnreachable = 3
    case hostUnreachable = 4
    case connectionRefused = 5
    case commandNotSupported = 7
    case addressTypeNotSupported = 8

    /// The reply on the wire. The bound address is left at zero: the client can not use ours, nor the origin's.
    public var bytes: [UInt8] { [5, rawValue, 0, 1, 0, 0, 0, 0, 0, 0] }

    /// Answers to the list of methods. Source: RFC 1928 section 3.
    public static let noAuthentication: [UInt8] = [5, 0]
    public static let noMethod: [UInt8] = [5, 0xFF]

    /// The reply that tells what an HTTP status and the failure behind it would.
    init(status: Int, failure: LoadFailure?) {
        switch failure {
        case .network(.name), .network(.timeout), .network(.reset), .lost: self = .hostUnreachable
        case .network(.refused): self = .connectionRefused
        case .network(.parent(_, .answered(status: 403))): self = .notAllowed
        case .network(.ownAddress), .network(.forbidden): self = .notAllowed
        case .network(.noDescriptors), .network(.parent), .cleartext, .trust, .handshake,
            .malformedAnswer, nil:
            // 508: the gate itself was asked for, which no rule lets through.
            self = status == 403 || status == 508 ? .notAllowed : .generalFailure
        }
    }
}

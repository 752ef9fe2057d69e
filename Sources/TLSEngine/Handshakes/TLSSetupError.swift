/// Why a context or a machine could not be made. Always our own or the user's settings, never a peer.
public enum TLSSetupError: Error, Sendable, Hashable {
    /// None of the offered suites is known to the TLS library, or none fits the versions.
    case noUsableSuite
    /// The name cannot be put into a ClientHello: longer than 255 bytes or with a zero byte in it (RFC 6066 section 3).
    case serverName
    /// A protocol name is empty or longer than 255 bytes (RFC 7301 section 3.1).
    case protocolName
    /// OpenSSL said no; its packed error code.
    case library(UInt64)
}

extension TLSSetupError: CustomStringConvertible {
    /// What is wrong, without a full stop.
    public var description: String {
        switch self {
        case .noUsableSuite: "the TLS library knows none of the suites"
        case .serverName: "the name can not be put into a ClientHello"
        case .protocolName: "a protocol name is empty or too long"
        case .library(let code): "OpenSSL error \(ErrorQueue.words(code))"
        }
    }
}

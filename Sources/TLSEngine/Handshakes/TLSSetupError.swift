/// The reason why a context or a machine could not be created. The cause is our own or the user's settings, never a
/// peer.
public enum TLSSetupError: Error, Sendable, Hashable {
    /// The TLS library supports none of the offered suites, or none that fits the versions.
    case noUsableSuite
    /// The name does not fit into a ClientHello: longer than 255 bytes or with a zero byte (RFC 6066 section 3).
    case serverName
    /// A protocol name is empty or longer than 255 bytes (RFC 7301 section 3.1).
    case protocolName
    /// OpenSSL failed, with its packed error code.
    case library(UInt64)
}

extension TLSSetupError: CustomStringConvertible {
    /// The problem, without a full stop.
    public var description: String {
        switch self {
        case .noUsableSuite: "the TLS library supports none of the suites"
        case .serverName: "the name does not fit into a ClientHello"
        case .protocolName: "a protocol name is empty or too long"
        case .library(let code): "OpenSSL error \(ErrorQueue.words(code))"
        }
    }
}

import Text

/// An error of a loop, a stream or a listener. Numbers are errno values.
public enum NetError: Error, Hashable, Sendable {
    /// Another process listens there; the command exits with 69.
    case addressInUse(String)
    /// The address is valid, but not for listening: a foreign address, a privileged port.
    case cannotListen(String, errno: Int32)
    /// Neither an IP literal nor "localhost", or a port outside 0...65535.
    case badAddress(String)
    /// The process or the system has no descriptors left.
    case descriptorLimit
    /// The loop has been stopped.
    case stopped
    case system(call: String, errno: Int32)
}

extension NetError: CustomStringConvertible {
    /// The problem, without a full stop.
    public var description: String {
        switch self {
        case .addressInUse(let address): "\(address) is in use"
        case .cannotListen(let address, let code): "cannot listen on \(address): \(SystemWords.error(code))"
        case .badAddress(let text):
            "\(text.printable) is not a listening address: use an IP address or localhost, and a port up to 65535"
        case .descriptorLimit: "no file descriptors are left: raise the limit (ulimit -n)"
        case .stopped: "the event loop was stopped"
        case .system(let call, let code): "\(call) failed: \(SystemWords.error(code))"
        }
    }
}

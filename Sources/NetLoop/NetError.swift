import Text

/// What went wrong with a loop, a stream or a listener of ours. Numbers are errno values.
public enum NetError: Error, Hashable, Sendable {
    /// Somebody already listens there; the command exits with 69.
    case addressInUse(String)
    /// The address is ours to name but not to listen on: a foreign address, a privileged port.
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
    /// What is wrong, without a full stop.
    public var description: String {
        switch self {
        case .addressInUse(let address): "\(address) is in use"
        case .cannotListen(let address, let code): "can not listen on \(address): \(SystemWords.error(code))"
        case .badAddress(let text):
            "\(text.printable) is no address to listen on: an IP address or localhost, and a port up to 65535"
        case .descriptorLimit: "no descriptors are left: raise the limit (ulimit -n)"
        case .stopped: "it has been stopped"
        case .system(let call, let code): "\(call) failed: \(SystemWords.error(code))"
        }
    }
}

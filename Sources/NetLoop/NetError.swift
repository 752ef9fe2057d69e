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

import CPoll
import Text

/// Who started the program and wants to hear how it fares, as systemd does for a service of `Type=notify`.
///
/// Source: sd_notify(3): datagrams of lines NAME=VALUE to the socket that NOTIFY_SOCKET names.
public struct ServiceManager: Sendable {
    private let socket: String

    /// - Parameter environment: of this process.
    /// - Returns: nil where nobody wants to hear anything.
    public init?(in environment: [String: String]) {
        guard let socket = environment["NOTIFY_SOCKET"], !socket.isEmpty else { return nil }
        self.socket = socket
    }

    /// What there is to tell.
    public enum Notification: Sendable, Hashable {
        /// Clients can come. The words are shown as the state of the service, in one line.
        case ready(String)
        /// No more clients are accepted, and those that are there come to their end.
        case stopping
    }

    /// - Throws: ``NetError`` where nobody listens at the socket, or it is none.
    public func tell(_ news: Notification) throws(NetError) {
        let words =
            switch news {
            case .ready(let state): "READY=1\nSTATUS=\(state.printable)"
            case .stopping: "STOPPING=1"
            }
        let answer = cpoll_tell(socket, words)
        guard answer < 0 else { return }
        throw .system(call: "telling the service manager", errno: -answer)
    }
}

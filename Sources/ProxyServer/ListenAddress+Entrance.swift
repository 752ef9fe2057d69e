import NetLoop
import ProxyCore
import Records
import Text

extension ListenAddress {
    /// The place of a client that was accepted here.
    ///
    /// - Parameters:
    ///   - peer: its `ADDRESS:PORT`.
    ///   - original: the address from which its connection was redirected.
    func place(of peer: String, redirectedFrom original: SocketAddress?) -> ClientSource {
        ClientSource(
            address: peer, label: label, assumedLoader: assumedLoader, outside: outside, law: law.isUsual ? nil : law,
            entrance: entrance,
            original: original.map { OriginalDestination(address: $0.ip, port: Int($0.port)) })
    }

    /// True if this system's sockets report the original address of redirected connections.
    static var takesRedirected: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }
}

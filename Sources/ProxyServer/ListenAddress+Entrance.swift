import NetLoop
import ProxyCore
import Records
import Text

extension ListenAddress {
    /// The way in which a client accepted here names its target; nil if its original address is no longer available.
    func entrance(of descriptor: Int32) -> ClientEntrance? {
        switch speaks {
        case .http: return .proxy
        case .socks5: return .socks
        case .transparent:
            return SocketAddress(originalOf: descriptor).map { original in
                .transparent(
                    original: OriginalDestination(address: original.ip, port: Int(original.port)),
                    via: entrance ?? .transparent)
            }
        }
    }

    /// The place of a client that was accepted here.
    ///
    /// - Parameter peer: its `ADDRESS:PORT`.
    func place(of peer: String, by entrance: ClientEntrance) -> ClientSource {
        ClientSource(
            address: peer, label: label, assumedLoader: assumedLoader, outside: outside, law: law.isUsual ? nil : law,
            entrance: entrance)
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

import NetLoop
import ProxyCore
import Records
import Text

extension ListenAddress {
    /// How a client that was accepted here says where to; nil where the system can not tell any more what it wanted.
    func entrance(of descriptor: Int32) -> ClientEntrance? {
        switch speaks {
        case .http: return .proxy
        case .socks5: return .socks
        case .transparent:
            return SocketAddress(originalOf: descriptor).map(redirected)
        }
    }

    /// How a client says where to that was redirected here.
    func redirected(from original: SocketAddress) -> ClientEntrance {
        .transparent(
            original: OriginalDestination(address: original.ip, port: Int(original.port)),
            via: entrance ?? .transparent)
    }

    /// The place of a client that came in here.
    ///
    /// - Parameter peer: its `ADDRESS:PORT`.
    func place(of peer: String, by entrance: ClientEntrance) -> ClientPlace {
        ClientPlace(
            address: peer, label: label, assumedLoader: assumedLoader, outside: outside, law: law.isUsual ? nil : law,
            entrance: entrance)
    }

    /// Whether sockets of this system tell where redirected connections were to go.
    static var takesRedirected: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }
}

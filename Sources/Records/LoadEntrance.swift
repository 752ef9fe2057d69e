/// How a load reached the gate. Raw values are stored and shown: never rename one, only add.
public enum LoadEntrance: String, Sendable, Hashable, CaseIterable {
    /// Through the HTTP proxy. Records have null for it, and older ones lack the field.
    case proxy
    /// Through the SOCKS5 proxy. Older records have null.
    case socks
    /// The system redirected its connection to a listener.
    case transparent
    /// The system redirected its connection out of a WireGuard tunnel.
    case wireguard
    /// From a command whose whole network is captured.
    case capture

    /// True if the client asked no proxy: the address of its connection is its target.
    public var isRedirected: Bool {
        switch self {
        case .proxy, .socks: false
        case .transparent, .wireguard, .capture: true
        }
    }
}

extension DecodedObject where List == ClientFields {
    /// How the load reached the gate; nil if only a later version knows the value.
    public var wayIn: LoadEntrance? {
        guard let name = self.entrance else { return .proxy }
        return LoadEntrance(rawValue: name)
    }
}

/// How a load came in. Raw values are stored and shown: never rename one, only add.
public enum LoadEntrance: String, Sendable, Hashable, CaseIterable {
    /// Its client asked an HTTP proxy. Records have null for it, and older ones lack the field.
    case proxy
    /// Its client asked a SOCKS5 proxy. Older records have null.
    case socks
    /// The system redirected its connection to a listener.
    case transparent
    /// The same, out of a tunnel of WireGuard.
    case wireguard
    /// It left a command whose whole network leads here.
    case capture
}

extension DecodedObject where List == ClientFields {
    /// How it came in; nil where only a later version knows.
    public var wayIn: LoadEntrance? {
        guard let name = self.entrance else { return .proxy }
        return LoadEntrance(rawValue: name)
    }
}

/// How a load came in whose client asked no proxy. Raw values are stored and shown: never rename one, only add.
public enum LoadEntrance: String, Sendable, Hashable, CaseIterable {
    /// The system redirected its connection to a listener.
    case transparent
    /// The same, out of a tunnel of WireGuard.
    case wireguard
    /// It left a command whose whole network leads here.
    case capture
}

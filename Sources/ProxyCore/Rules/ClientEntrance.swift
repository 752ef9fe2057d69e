public import Records
public import Text

/// The way a client names its target.
public enum ClientEntrance: Sendable, Hashable {
    /// By a request to an HTTP proxy.
    case proxy
    /// By a request to a SOCKS5 proxy.
    case socks
    /// By the address of its connection, which was redirected to the gate.
    case transparent(original: OriginalDestination, via: LoadEntrance)

    /// The original address of a redirected connection.
    public var original: OriginalDestination? {
        if case .transparent(let original, _) = self { original } else { nil }
    }

    /// The value for records.
    var recorded: LoadEntrance {
        switch self {
        case .proxy: .proxy
        case .socks: .socks
        case .transparent(_, let via): via
        }
    }
}

/// The address of a client's connection before it was redirected: the only address dialed for this client.
public struct OriginalDestination: Sendable, Hashable {
    public var address: IPAddress
    public var port: Int

    public init(address: IPAddress, port: Int) {
        self.address = address
        self.port = port
    }

    /// The address as the host of a URL, an IPv6 address without brackets.
    public var host: String { address.description }
}

public import Records
public import Text

/// How a client says where it wants to go.
public enum ClientEntrance: Sendable, Hashable {
    /// It asks an HTTP proxy.
    case proxy
    /// It asks a SOCKS5 proxy.
    case socks
    /// It asks nobody: its connection to an address was redirected here.
    case transparent(original: OriginalDestination, via: LoadEntrance)

    /// Where a redirected connection was to go.
    public var original: OriginalDestination? {
        if case .transparent(let original, _) = self { original } else { nil }
    }

    /// As records have it.
    var recorded: LoadEntrance {
        switch self {
        case .proxy: .proxy
        case .socks: .socks
        case .transparent(_, let via): via
        }
    }
}

/// The address that a client wanted before its connection was redirected: the only one that is dialed for it.
public struct OriginalDestination: Sendable, Hashable {
    public var address: IPAddress
    public var port: Int

    public init(address: IPAddress, port: Int) {
        self.address = address
        self.port = port
    }

    /// As the host of a URL that names the address, an IPv6 address without brackets.
    public var host: String { address.description }
}

public import ATSPolicy
import NetLoop
public import ProxyCore
public import Records
public import Text

/// One `--listen`.
public struct ListenAddress: Sendable, Hashable {
    public var host = "127.0.0.1"
    /// 0 for any free port.
    public var port = 9802
    /// The name of sockets from a service manager, which determine host and port; nil for an address.
    public var socketName: String?
    /// The label in records, to distinguish several devices.
    public var label: String?
    /// The loader assumed for every load of this listener; overrides ``ClientRules/loader``.
    public var assumedLoader: Loader?
    /// The handling of clients that ATS does not govern; overrides ``ClientRules/outside``.
    public var outside: OutsideClients?
    /// The dictionary and release for its clients, if they differ.
    public var law = ListenerPolicy()
    /// The way its clients name their targets.
    public var entrance = LoadEntrance.proxy
    /// True if it is in another network than the gate dials from, where the same address may be another host.
    public var isApart = false

    public init() {}

    public init(
        host: String, port: Int, label: String? = nil, assumedLoader: Loader? = nil, entrance: LoadEntrance = .proxy
    ) {
        self.host = host
        self.port = port
        self.label = label
        self.assumedLoader = assumedLoader
        self.entrance = entrance
    }

    /// True if only this machine can reach it.
    public var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

    /// `HOST:PORT`, an IPv6 address in brackets.
    public var text: String { Authority(host: host, port: port).description }

    /// `HOST:PORT` with the scheme for clients.
    public var url: String { "\(entrance.scheme)://\(text)" }
}

extension LoadEntrance {
    /// The scheme of a listener's URL. It does not show how connections were redirected.
    public var scheme: String {
        switch self {
        case .proxy: "http"
        case .socks: "socks5"
        case .transparent, .wireguard, .capture: "transparent"
        }
    }
}

extension ListenAddress {
    /// The addresses of this machine that reach a listener on all addresses; empty for a listener on one address.
    /// Link-local addresses, which need an interface, are not included.
    var interfaces: [IPAddress] {
        guard host == "0.0.0.0" || host == "::" else { return [] }
        let fits = InterfaceAddresses.current().filter { address in
            if case .v6 = address, host == "0.0.0.0" { return false }
            return !address.isLinkLocal && !address.isUnspecified
        }
        return fits.sorted { (Self.rank($0), $0.description) < (Self.rank($1), $1.description) }
    }

    /// The addresses at which clients reach it as an HTTP proxy, other machines' first. Reads the interfaces each time,
    /// because networks change.
    public var proxies: [Authority] {
        guard entrance == .proxy else { return [] }
        let others = interfaces.map { Authority(host: $0.description, port: port) }
        return others.isEmpty ? [Authority(host: host, port: port).reachable] : others
    }

    /// The address at which a client on this machine reaches it.
    public var reachable: String { Authority(host: host, port: port).reachable.description }

    /// The URLs of the gate's own page for browsers on other devices.
    public var phones: [String] {
        proxies.filter { IPAddress($0.host)?.isLoopback == false }.map { "http://\($0)/" }
    }

    /// Lower for addresses that a phone at home or in an office is more likely to reach. Tunnels, containers and
    /// carriers prefer the other private ranges (RFC 1918, RFC 6598).
    private static func rank(_ address: IPAddress) -> Int {
        guard case .v4(let value) = address else { return address.isLoopback ? 5 : 4 }
        if value >> 16 == 0xC0A8 { return 0 }
        if value >> 24 == 10 { return 1 }
        return address.isLoopback ? 3 : 2
    }

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

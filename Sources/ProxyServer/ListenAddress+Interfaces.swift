import NetLoop
import Records
public import Text

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
}

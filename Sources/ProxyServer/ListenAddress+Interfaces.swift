import NetLoop
public import Text

extension ListenAddress {
    /// The addresses of this machine that lead to a listener on all of them; none for one with an address of its own.
    /// Those that only mean something together with an interface are left out.
    var interfaces: [IPAddress] {
        guard host == "0.0.0.0" || host == "::" else { return [] }
        let fits = InterfaceAddresses.current().filter { address in
            if case .v6 = address, host == "0.0.0.0" { return false }
            return !address.isLinkLocal && !address.isUnspecified
        }
        return fits.sorted { (Self.rank($0), $0.description) < (Self.rank($1), $1.description) }
    }

    /// Where clients reach it as an HTTP proxy, those of other machines first; asked of the system each time, for
    /// networks come and go.
    public var proxies: [Authority] {
        guard speaks == .http else { return [] }
        let others = interfaces.map { Authority(host: $0.description, port: port) }
        return others.isEmpty ? [Authority(host: host, port: port).reachable] : others
    }

    /// Where a client on this machine finds it.
    public var reachable: String { Authority(host: host, port: port).reachable.description }

    /// Where the browsers of other devices find the gate's own page.
    public var phones: [String] {
        proxies.filter { IPAddress($0.host)?.isLoopback == false }.map { "http://\($0)/" }
    }

    /// Lower for what a phone at home or in an office more likely shares: tunnels, containers and carriers prefer the
    /// other private ranges (RFC 1918, RFC 6598).
    private static func rank(_ address: IPAddress) -> Int {
        guard case .v4(let value) = address else { return address.isLoopback ? 5 : 4 }
        if value >> 16 == 0xC0A8 { return 0 }
        if value >> 24 == 10 { return 1 }
        return address.isLoopback ? 3 : 2
    }
}

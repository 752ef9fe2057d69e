import CPoll
public import Text

/// An IP address, with the interface for a link-local IPv6 address.
public struct HostAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address in network byte order; IPv4 fills the first half of `high`. Not stored as ``ip``: with a 128-bit
    /// integer inside, Swift 6.3 reads an unoptimised ``SocketAddress`` from a stack slot that is not aligned for it.
    private let high: UInt64
    private let low: UInt64
    /// The number of the interface; 0 if none is given.
    private let scope: UInt32
    let isVersion6: Bool

    /// Reads "192.0.2.1", "2001:db8::1" or "[2001:db8::1]"; nil for names and everything else.
    public init?(_ literal: String) {
        let isBracketed = literal.hasPrefix("[") && literal.hasSuffix("]")
        switch IPAddress(isBracketed ? literal.dropFirst().dropLast() : literal[...]) {
        case .v4 where isBracketed: return nil
        case let ip?: self.init(ip)
        case nil: return nil
        }
    }

    /// Reads a literal, or any spelling that `inet_aton` accepts, as a resolver reads the host of a URL.
    init?(host: String) {
        if let literal = HostAddress(host) {
            self = literal
        } else if let ip = IPAddress(host: host) {
            self.init(ip)
        } else {
            return nil
        }
    }

    private init(_ ip: IPAddress) {
        switch ip {
        case .v4(let value):
            (high, low) = ((UInt64(value) << 32).bigEndian, 0)
            isVersion6 = false
        case .v6(let value):
            (high, low) = (UInt64(value >> 64).bigEndian, UInt64(truncatingIfNeeded: value).bigEndian)
            isVersion6 = true
        }
        scope = 0
    }

    init(_ system: cpoll_address) {
        (high, low) = system.words
        scope = system.scope
        isVersion6 = system.version == 6
    }

    /// The address without the interface.
    public var ip: IPAddress {
        let (high, low) = (UInt64(bigEndian: high), UInt64(bigEndian: low))
        return isVersion6 ? .v6(UInt128(high) << 64 | UInt128(low)) : .v4(UInt32(high >> 32))
    }

    public var description: String { ip.description }

    func cpoll(port: UInt16) -> cpoll_address {
        cpoll_address(words: (high, low), scope: scope, port: port, version: isVersion6 ? 6 : 4)
    }
}

/// The address of a socket: "192.0.2.1:5" or "[2001:db8::1]:5".
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    let address: HostAddress
    public let port: UInt16

    public var ip: IPAddress { address.ip }

    public var description: String { Authority(host: address.description, port: Int(port)).description }
}

extension SocketAddress {
    /// Reads the format of ``description``; nil for everything else.
    public init?(_ text: String) {
        guard let authority = try? Authority(text[...]), let port = authority.port.flatMap({ UInt16(exactly: $0) }),
            let address = HostAddress(authority.host)
        else { return nil }
        self.init(address: address, port: port)
    }

    /// - Parameter host: an IP literal, or "localhost", which is 127.0.0.1; nil for everything else.
    init?(host: String, port: Int) {
        guard let address = HostAddress(host == "localhost" ? "127.0.0.1" : host), let port = UInt16(exactly: port)
        else { return nil }
        self.init(address: address, port: port)
    }

    init(_ system: cpoll_address) {
        self.init(address: HostAddress(system), port: system.port)
    }

    init?(peerOf descriptor: Int32) {
        var system = cpoll_address()
        guard cpoll_peer(descriptor, &system) == 0 else { return nil }
        self.init(system)
    }

    /// The destination of an accepted connection before the system redirected it to this process; its own address if it
    /// was not redirected. nil if the system cannot report it: only Linux can.
    ///
    /// Source: Linux, `SO_ORIGINAL_DST` (netfilter) for REDIRECT; for TPROXY getsockname
    /// (Documentation/networking/tproxy.rst).
    public init?(originalOf descriptor: Int32) {
        var system = cpoll_address()
        guard cpoll_original(descriptor, &system) == 0 else { return nil }
        self.init(system)
    }

    init?(localOf descriptor: Int32) {
        var system = cpoll_address()
        guard cpoll_local(descriptor, &system) == 0 else { return nil }
        self.init(system)
    }
}

import CPoll

/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    public let isVersion6: Bool
    /// Network order, in memory order; IPv4 fills the first half of `high`.
    let high: UInt64
    let low: UInt64
    /// The interface of a link-local IPv6 address; 0 otherwise.
    let scope: UInt32

    /// Reads "192.0.2.1", "2001:db8::1" or "[2001:db8::1]"; nil for names and everything else.
    public init?(_ literal: String) {
        let isBracketed = literal.hasPrefix("[") && literal.hasSuffix("]")
        let text = isBracketed ? String(literal.dropFirst().dropLast()) : literal
        var parsed = cpoll_address()
        guard cpoll_parse(text, &parsed) == 1, !isBracketed || parsed.version == 6 else { return nil }
        self.init(parsed)
    }

    init(_ system: cpoll_address) {
        isVersion6 = system.version == 6
        (high, low) = system.words
        scope = system.scope
    }

    public var description: String {
        var system = cpoll(port: 0)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let start = text.baseAddress, cpoll_print(&system, start, 64) == 0 else { return "" }
            return String(cString: start)
        }
    }

    func cpoll(port: UInt16) -> cpoll_address {
        cpoll_address(words: (high, low), scope: scope, port: port, version: isVersion6 ? 6 : 4)
    }
}

/// Where a socket is: "192.0.2.1:5" or "[2001:db8::1]:5".
struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    let address: IPAddress
    let port: UInt16

    var description: String { address.isVersion6 ? "[\(address)]:\(port)" : "\(address):\(port)" }
}

extension SocketAddress {
    init(_ system: cpoll_address) {
        self.init(address: IPAddress(system), port: system.port)
    }

    init?(peerOf descriptor: Int32) {
        var system = cpoll_address()
        guard cpoll_peer(descriptor, &system) == 0 else { return nil }
        self.init(system)
    }

    init?(localOf descriptor: Int32) {
        var system = cpoll_address()
        guard cpoll_local(descriptor, &system) == 0 else { return nil }
        self.init(system)
    }
}

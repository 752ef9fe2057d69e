import Dialing
import NetLoop
import Text

/// Names for a command whose connections are captured. A host of `--connect-to` gets a reserved address, so that the
/// name need not exist; others are looked up.
struct ChosenNames: NameResolving {
    private let addresses: [String: IPAddress]
    private let resolver = Resolver()

    /// - Parameter connectTo: the rules of `--connect-to`; gets rules for the addresses as well.
    init(_ connectTo: inout [ConnectTo]) {
        var addresses: [String: IPAddress] = [:]
        var detours: [ConnectTo] = []
        for rule in connectTo {
            guard let host = rule.host, rule.toHost != nil, IPAddress(host) == nil else { continue }
            let address = addresses[host] ?? .v4(Self.first + UInt32(addresses.count % Self.count))
            addresses[host] = address
            detours.append(
                ConnectTo(host: address.description, port: rule.port, toHost: rule.toHost, toPort: rule.toPort))
        }
        // Other ports of a name keep their usual target.
        for (host, address) in addresses {
            detours.append(ConnectTo(host: address.description, port: nil, toHost: host, toPort: nil))
        }
        self.addresses = addresses
        connectTo += detours
    }

    func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply {
        guard let address = addresses[host], let known = HostAddress(address.description) else {
            return resolver.answer(for: host, later: later)
        }
        return .known(.addresses([known]))
    }

    /// 198.18.0.0/15, which no network routes: RFC 2544 section C.2.2, RFC 6890 section 2.2.2.
    private static let first: UInt32 = 198 << 24 | 18 << 16 | 1
    private static let count = 131_000
}

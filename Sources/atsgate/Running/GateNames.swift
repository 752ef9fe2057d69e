import Capture
import ControlPlane
import Dialing
import Foundation
import NetLoop
import ProxyCore
import Text

/// Names for clients that look up names at the gate: a captured command, and devices of a tunnel. A host of
/// `--connect-to` gets a reserved address, so that the name need not exist; others are looked up.
struct GateNames: NameResolving {
    private let addresses: [String: IPAddress]
    private let resolver = Resolver()
    /// The rules that redirect the reserved addresses, in addition to those of `--connect-to`.
    let detours: [ConnectTo]

    /// - Parameter connectTo: the rules of `--connect-to`.
    init(_ connectTo: [ConnectTo]) {
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
        (self.addresses, self.detours) = (addresses, detours)
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

/// Names for devices. The gate's own name resolves to the gate. The names of iCloud Private Relay do not exist, which
/// is how a network turns it off for devices. Others are looked up. Source: Apple, Prepare your network or web server
/// for iCloud Private Relay, "Allow for network traffic audits".
private struct DeviceNames: NameResolving {
    let others: GateNames

    func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply {
        if host == OwnSite.name, let own = HostAddress(OwnSite.address.description) {
            return .known(.addresses([own]))
        }
        if AppleServices.isPrivateRelay(host) { return .known(.failed(code: EAI_NONAME)) }
        return others.answer(for: host, later: later)
    }
}

extension NameServer {
    /// Starts the DNS server of `--names` for devices of a tunnel.
    ///
    /// - Returns: nil without `--names`.
    /// - Throws: ``CommandFailure`` with 64 for an address that other machines can reach, without `--allow-lan`, or
    ///   that this machine does not have; with 69 for one that is in use.
    static func forDevices(_ choices: GateChoices, _ names: GateNames) throws -> NameServer? {
        guard let address = choices.names else { return nil }
        try choices.checkReach(of: address)
        guard let port = UInt16(exactly: address.port), port > 0, IPAddress(host: address.host) != nil else {
            throw CommandFailure.usage("--names \(address.text.printable) is not an IP address with a port")
        }
        do throws(NetError) {
            return try NameServer(at: address.host, port: port, asking: DeviceNames(others: names))
        } catch {
            throw CommandFailure.listening(
                at: address.text, error, "names cannot be served at \(address.text): \(error)")
        }
    }
}

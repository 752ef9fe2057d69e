internal import Foundation
import Text

/// The user's options for a tunnel; keys and addresses are added later.
public struct TunnelPlan: Sendable {
    public var interface = "atsgate0"
    /// The address of this machine for devices: `192.168.1.20:51820`. WireGuard listens on its port.
    public var endpoint: (host: String, port: Int)
    /// One for each device, in this order.
    public var names: [String]
    /// Resolvers for the devices; empty for the gate.
    public var resolvers: [String]
    /// The first three parts of the tunnel's IPv4 addresses.
    public var network = "10.98.2"
    public var ports = [80, 443]
    /// Port of the gate for the first peer; the others follow.
    public var firstPort = 9_911
    /// The folder of the keys.
    public var folder: String

    public init(endpoint: (host: String, port: Int), names: [String], resolvers: [String], folder: String) {
        self.endpoint = endpoint
        self.names = names
        self.resolvers = resolvers
        self.folder = folder
    }

    /// The tunnel with keys.
    ///
    /// - Parameters:
    ///   - key: public key of this machine.
    ///   - keys: public keys of the peers, by name.
    func tunnel(key: String, keys: [String: String]) -> WireGuardTunnel {
        let prefix = Self.prefix(of: key)
        let peers = names.enumerated().map { index, name in
            let number = index + 2
            return WireGuardTunnel.Peer(
                name: name, key: keys[name] ?? "",
                addresses: ["\(network).\(number)/32", "\(prefix)::\(String(number, radix: 16))/128"],
                port: firstPort + index)
        }
        return WireGuardTunnel(
            interface: interface, listenPort: endpoint.port, key: key,
            addresses: ["\(network).1/24", "\(prefix)::1/64"], folder: folder, ports: ports, peers: peers)
    }

    /// A unique prefix: the 40 random bits that it needs come from a public key. Source: RFC 4193 section 3.2.
    private static func prefix(of key: String) -> String {
        let bytes = Data(base64Encoded: key).map(Array.init) ?? []
        let id = ([0xfd] + bytes + Array(repeating: 0, count: 5)).prefix(6)
        return stride(from: 0, to: 6, by: 2).map { place in
            String(Int(id[place]) << 8 | Int(id[place + 1]), radix: 16)
        }.joined(separator: ":")
    }

    /// The configuration for a device's WireGuard app. Source: wg-quick(8).
    ///
    /// - Parameter secret: the device's own key.
    func configuration(of peer: WireGuardTunnel.Peer, in tunnel: WireGuardTunnel, secret: String) -> String {
        let host = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        return """
            [Interface]
            PrivateKey = \(secret)
            Address = \(peer.addresses.joined(separator: ", "))
            DNS = \(resolvers.isEmpty ? "\(network).1" : resolvers.joined(separator: ", "))
            MTU = \(WireGuardTunnel.largestPacket)

            [Peer]
            PublicKey = \(tunnel.key)
            AllowedIPs = 0.0.0.0/0, ::/0
            Endpoint = \(host):\(endpoint.port)
            PersistentKeepalive = 25

            """
    }

    /// True for a valid name of a peer, which is used in names of files, rules and labels.
    public static func isName(_ name: String) -> Bool {
        name != "interface" && (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    /// Limit of devices in one tunnel: the rules of all peers go through one pipe.
    public static let mostPeers = 200
}

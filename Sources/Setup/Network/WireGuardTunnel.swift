internal import Text

/// A WireGuard tunnel of this machine, with one peer for each device. Source: wg(8) of wireguard-tools 1.0.20210914.
public struct WireGuardTunnel: Sendable, Hashable, Codable {
    /// One device.
    public struct Peer: Sendable, Hashable, Codable {
        public let name: String
        /// In base64, as `wg pubkey` prints it.
        let key: String
        /// Its addresses in the tunnel; WireGuard lets nobody else send from them.
        let addresses: [String]
        /// Where the gate listens for it alone.
        let port: Int
    }

    let interface: String
    /// Where packets of WireGuard come in, UDP.
    let listenPort: Int
    /// In base64, as `wg pubkey` prints it.
    let key: String
    /// Of this machine in the tunnel, IPv4 and IPv6, with the lengths of their prefixes.
    let addresses: [String]
    /// Where the keys are.
    let folder: String
    /// Wanted TCP ports whose connections are led to the gate.
    let ports: [Int]
    public let peers: [Peer]

    /// The only table that is ever made, changed or taken away for it.
    static let tableName = "atsgate_wireguard"

    /// Bytes of a packet: what IPv6 asks of every way, so that none is too narrow. Source: RFC 8200 section 5.
    static let largestPacket = 1_280

    var title: String {
        "tunnel \(interface): \(addresses.joined(separator: ", ")), UDP \(listenPort), "
            + (peers.count == 1 ? "peer " : "peers ") + peers.map(\.name).joined(separator: ", ")
    }

    var tableTitle: String {
        "table inet \(Self.tableName): TCP \(ports.map(String.init).joined(separator: ", ")) of each peer to a port of its "
            + "own, peers kept apart"
    }

    /// What makes the interface, once there is one of its name.
    var commands: [[String]] {
        let device = ["dev", interface]
        let peers = peers.flatMap { ["peer", $0.key, "allowed-ips", $0.addresses.joined(separator: ",")] }
        return [
            [
                "wg", "set", interface, "private-key", KeyFolder.interfacePath(in: folder), "listen-port",
                "\(listenPort)",
            ]
                + peers
        ] + addresses.map { ["ip", "address", "add", $0] + device }
            + [["ip", "link", "set"] + device + ["mtu", "\(Self.largestPacket)", "up"]]
    }

    /// The kernel's own WireGuard, or, where it has none, a program's. Source: wireguard-go(1).
    var making: (kernel: [String], program: [String]) {
        (["ip", "link", "add", "dev", interface, "type", "wireguard"], ["wireguard-go", interface])
    }

    /// With the interface a wireguard-go ends that made it.
    var removal: [String] { ["ip", "link", "delete", "dev", interface] }

    /// Of the gate as a proxy, where a device gets the certificate.
    static let pagePort = 9_802
    /// Of the gate's answers for names: devices ask at 53, where only root may listen.
    static let namesPort = 9_853

    /// Of this machine in the tunnel, without the lengths of prefixes, IPv4 first.
    var hosts: [String] { addresses.map { String($0.split(separator: "/").first ?? "") } }

    /// Where the gate is to answer names, as `--names` takes it.
    public var names: String { "\(hosts.first ?? ""):\(Self.namesPort)" }

    /// Where the gate is to listen, as `--listen` takes it.
    ///
    /// - Parameter suffixes: what is said of a peer's loads, by its name.
    public func listeners(_ suffixes: [String: String]) -> [String] {
        let places = hosts.map { $0.contains(":") ? "[\($0)]" : $0 }
        return places.map { "\($0):\(Self.pagePort)" }
            + peers.flatMap { peer in
                places.map { place in
                    "transparent://\(place):\(peer.port),\(suffixes[peer.name] ?? "label=\(peer.name)"),via=wireguard"
                }
            }
    }
}

internal import Text

/// A WireGuard tunnel of this machine, with one peer for each device. Source: wg(8) of wireguard-tools 1.0.20210914.
public struct WireGuardTunnel: Sendable, Hashable, Codable {
    /// One device.
    public struct Peer: Sendable, Hashable, Codable {
        public let name: String
        /// In base64, as `wg pubkey` prints it.
        let key: String
        /// Its addresses in the tunnel; WireGuard accepts packets from them only from this peer.
        let addresses: [String]
        /// Port of the gate's listener for this device.
        let port: Int
    }

    let interface: String
    /// UDP port of WireGuard.
    let listenPort: Int
    /// In base64, as `wg pubkey` prints it.
    let key: String
    /// Addresses of this machine in the tunnel, IPv4 and IPv6, with prefix lengths.
    let addresses: [String]
    /// The folder of the keys.
    let folder: String
    /// TCP ports whose connections are redirected to the gate.
    let ports: [Int]
    public let peers: [Peer]

    /// The only table that is ever created, changed or deleted for it.
    static let tableName = "atsgate_wireguard"

    /// MTU in bytes: the minimum that IPv6 requires of every link, so it fits everywhere. Source: RFC 8200 section 5.
    static let largestPacket = 1_280

    var title: String {
        "tunnel \(interface): \(addresses.joined(separator: ", ")), UDP \(listenPort), "
            + (peers.count == 1 ? "peer " : "peers ") + peers.map(\.name).joined(separator: ", ")
    }

    var tableTitle: String {
        "table inet \(Self.tableName): TCP \(ports.map(String.init).joined(separator: ", ")) of each peer to its own "
            + "port, peers isolated"
    }

    /// The commands that configure the interface after it was created.
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

    /// The commands for the kernel's own WireGuard, and for a program if the kernel has none. Source: wireguard-go(1).
    var making: (kernel: [String], program: [String]) {
        (["ip", "link", "add", "dev", interface, "type", "wireguard"], ["wireguard-go", interface])
    }

    /// Deletes the interface, which also ends the wireguard-go that created it.
    var removal: [String] { ["ip", "link", "delete", "dev", interface] }

    /// Port of the gate as a proxy, where a device gets the certificate.
    static let pagePort = 9_802
    /// Port of the gate's DNS answers: devices use 53, where only root may listen.
    static let namesPort = 9_853

    /// Addresses of this machine in the tunnel without prefix lengths, IPv4 first.
    var hosts: [String] { addresses.map { String($0.split(separator: "/").first ?? "") } }

    /// Address for the gate's DNS answers, as `--names` takes it.
    public var names: String { "\(hosts.first ?? ""):\(Self.namesPort)" }

    /// Addresses of the gate's listeners, as `--listen` takes them.
    ///
    /// - Parameter suffixes: options for the loads of a peer, by its name.
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

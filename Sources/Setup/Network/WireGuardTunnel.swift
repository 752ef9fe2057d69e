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

    var table: PacketTable {
        let device = "\"\(interface)\""
        let led = peers.flatMap { peer in
            peer.addresses.map { address in
                let family = address.contains(":") ? "ip6" : "ip"
                let source = address.split(separator: "/").first ?? ""
                return "iifname \(device) \(family) saddr \(source) tcp dport \(PacketTable.set(ports)) "
                    + "redirect to :\(peer.port)"
            }
        }
        let leaving = "iifname \(device) oifname != \(device)"
        return PacketTable(
            name: Self.tableName,
            chains: [
                (
                    "redirected", "nat hook prerouting priority dstnat",
                    [
                        "iifname \(device) fib daddr type local return",
                        // To another device there is no way, by the gate neither.
                        "iifname \(device) ip daddr \(network(0)) return",
                        "iifname \(device) ip6 daddr \(network(1)) return",
                    ] + led
                ),
                (
                    "apart", "filter hook forward priority filter",
                    [
                        "iifname \(device) oifname \(device) reject with icmpx admin-prohibited",
                        "iifname \(device) udp dport 443 reject with icmpx port-unreachable",
                        "oifname \(device) ct state != { established, related } reject with icmpx admin-prohibited",
                    ]
                ),
                (
                    // Whoever asks the gate to: it opens no connection to a device.
                    "outward", "filter hook output priority filter",
                    ["oifname \(device) meta l4proto { tcp, udp } ct state new reject with icmpx admin-prohibited"]
                ),
                (
                    // Of this machine a peer gets what it was led to, the gate's page, names, and no more.
                    "own", "filter hook input priority filter",
                    [
                        "iifname \(device) ct status dnat accept",
                        "iifname \(device) tcp dport { 53, \(Self.pagePort) } accept",
                        "iifname \(device) udp dport 53 accept",
                        "iifname \(device) meta l4proto { icmp, ipv6-icmp } accept",
                        "iifname \(device) ct state { established, related } accept",
                        "iifname \(device) reject with icmpx admin-prohibited",
                    ]
                ),
                (
                    "masqueraded", "nat hook postrouting priority srcnat",
                    [
                        "\(leaving) ip saddr \(PacketTable.privateNetworks) masquerade",
                        "\(leaving) ip6 saddr fc00::/7 masquerade",
                    ]
                ),
            ])
    }

    /// Of the gate as a proxy, where a device gets the certificate.
    static let pagePort = 9_802

    /// That of an address of this machine.
    private func network(_ place: Int) -> String { addresses[place] }

    /// Of this machine in the tunnel, without the lengths of prefixes, IPv4 first.
    var hosts: [String] { addresses.map { String($0.split(separator: "/").first ?? "") } }

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

/// The packet rules of a tunnel: traffic of a device goes to the gate's listener for it, and not to other devices.
extension WireGuardTunnel {
    var table: PacketTable {
        PacketTable(
            name: Self.tableName,
            chains: [
                ("redirected", "nat hook prerouting priority dstnat", redirecting),
                ("apart", "filter hook forward priority filter", keepingApart),
                (
                    // The gate opens no connection to a device, regardless of the client that requests one.
                    "outward", "filter hook output priority filter",
                    ["oifname \(device) meta l4proto { tcp, udp } ct state new reject with icmpx admin-prohibited"]
                ),
                ("own", "filter hook input priority filter", lettingIn),
                ("masqueraded", "nat hook postrouting priority srcnat", masquerading),
            ])
    }

    private var device: String { "\"\(interface)\"" }

    private var redirecting: [String] {
        let led = peers.flatMap { peer in
            peer.addresses.map { address in
                let family = address.contains(":") ? "ip6" : "ip"
                let source = address.split(separator: "/").first ?? ""
                return "iifname \(device) \(family) saddr \(source) tcp dport \(PacketTable.set(ports)) "
                    + "redirect to :\(peer.port)"
            }
        }
        return [
            "iifname \(device) ip daddr \(hosts[0]) meta l4proto { tcp, udp } th dport 53 redirect to :\(Self.namesPort)",
            "iifname \(device) fib daddr type local return",
            // Devices cannot reach each other, not through the gate either.
            "iifname \(device) ip daddr \(addresses[0]) return",
            "iifname \(device) ip6 daddr \(addresses[1]) return",
        ] + led
    }

    private var keepingApart: [String] {
        [
            "iifname \(device) oifname \(device) reject with icmpx admin-prohibited",
            "iifname \(device) udp dport 443 reject with icmpx port-unreachable",
            "oifname \(device) ct state != { established, related } reject with icmpx admin-prohibited",
        ]
    }

    /// On this machine a peer reaches only its redirected connections, the gate's page, and DNS.
    private var lettingIn: [String] {
        [
            "iifname \(device) ct status dnat accept",
            "iifname \(device) tcp dport { 53, \(Self.pagePort) } accept",
            "iifname \(device) udp dport 53 accept",
            "iifname \(device) meta l4proto { icmp, ipv6-icmp } accept",
            "iifname \(device) ct state { established, related } accept",
            "iifname \(device) reject with icmpx admin-prohibited",
        ]
    }

    private var masquerading: [String] {
        let leaving = "iifname \(device) oifname != \(device)"
        return [
            "\(leaving) ip saddr \(PacketTable.privateNetworks) masquerade",
            "\(leaving) ip6 saddr fc00::/7 masquerade",
        ]
    }
}

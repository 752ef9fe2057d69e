/// The packet rules of a tunnel: what a device sends goes to the gate's listener for it, and to nobody near.
extension WireGuardTunnel {
    var table: PacketTable {
        PacketTable(
            name: Self.tableName,
            chains: [
                ("redirected", "nat hook prerouting priority dstnat", redirecting),
                ("apart", "filter hook forward priority filter", keepingApart),
                (
                    // Whoever asks the gate to: it opens no connection to a device.
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
            // To another device there is no way, by the gate neither.
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

    /// Of this machine a peer gets what it was led to, the gate's page, names, and no more.
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

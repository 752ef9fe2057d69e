/// A table of packet rules, as `nft` reads it. Source: nft(8) of nftables 1.0.6.
struct PacketTable {
    let name: String
    /// Name, where in the kernel it is asked, and its rules.
    var chains: [(name: String, hook: String, rules: [String])]

    /// Made in one transaction, and only where there is none of that name.
    var text: String {
        var text = "create table inet \(name)\ntable inet \(name) {\n"
        for chain in chains {
            text += "  chain \(chain.name) {\n    type \(chain.hook); policy accept;\n"
            text += chain.rules.map { "    \($0) \(Self.mark)\n" }.joined()
            text += "  }\n"
        }
        return text + "}\n"
    }

    /// Stands at the end of each rule of ours.
    private static let mark = "comment \"atsgate setup\""

    static let command = ["nft", "-f", "-"]
    static func question(of name: String) -> [String] { ["nft", "list", "table", "inet", name] }
    static func removal(of name: String) -> [String] { ["nft", "delete", "table", "inet", name] }

    /// Whether all rules that `nft list table` has printed are ours.
    static func isOurs(_ listing: String) -> Bool {
        var count = 0
        for line in listing.split(separator: "\n") {
            let words = line.drop { $0 == " " || $0 == "\t" }
            if ["table ", "chain ", "type ", "}"].contains(where: words.hasPrefix) { continue }
            guard words.hasSuffix(mark) else { return false }
            count += 1
        }
        return count > 0
    }

    /// Whether `nft list table` has printed each chain with as many rules as it was made with.
    func isWhole(_ listing: String) -> Bool {
        var rules: [Substring: Int] = [:]
        var chain: Substring = ""
        for line in listing.split(separator: "\n") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            if words.first == "chain", words.count > 1 { chain = words[1] }
            if line.hasSuffix(Self.mark) { rules[chain, default: 0] += 1 }
        }
        return chains.allSatisfy { rules[Substring($0.name), default: 0] == $0.rules.count }
    }

    /// Names as a set of `nft`, in quotes.
    static func set(_ names: [String]) -> String { "{ " + names.map { "\"\($0)\"" }.joined(separator: ", ") + " }" }
    static func set(_ numbers: [Int]) -> String { "{ " + numbers.map(String.init).joined(separator: ", ") + " }" }

    /// Networks whose addresses nobody else answers. Source: RFC 1918 section 3, RFC 6598 section 7.
    static let privateNetworks = "{ 10.0.0.0/8, 100.64.0.0/10, 172.16.0.0/12, 192.168.0.0/16 }"
}

/// What a set-up of the network runs, and which package of Debian brings it.
enum NetworkTools {
    static let packages = [
        "nft": "nftables", "sysctl": "procps", "ip": "iproute2", "wg": "wireguard-tools",
        "wireguard-go": "wireguard-go",
    ]
}

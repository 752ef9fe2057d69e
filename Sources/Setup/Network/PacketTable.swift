/// A table of packet rules, as `nft` reads it. Source: nft(8) of nftables 1.0.6.
struct PacketTable {
    let name: String
    /// Name, hook in the kernel, and rules.
    var chains: [(name: String, hook: String, rules: [String])]

    /// Created in one transaction; fails if a table of that name exists.
    var text: String {
        var text = "create table inet \(name)\ntable inet \(name) {\n"
        for chain in chains {
            text += "  chain \(chain.name) {\n    type \(chain.hook); policy accept;\n"
            text += chain.rules.map { "    \($0) \(Self.mark)\n" }.joined()
            text += "  }\n"
        }
        return text + "}\n"
    }

    /// The last part of each rule of atsgate.
    private static let mark = "comment \"atsgate setup\""

    static let command = ["nft", "-f", "-"]
    static func question(of name: String) -> [String] { ["nft", "list", "table", "inet", name] }
    static func removal(of name: String) -> [String] { ["nft", "delete", "table", "inet", name] }

    /// True if all rules in the output of `nft list table` are those of atsgate.
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

    /// True if the output of `nft list table` has the full number of rules in each chain.
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

    /// Names as an `nft` set, in quotes.
    static func set(_ names: [String]) -> String { "{ " + names.map { "\"\($0)\"" }.joined(separator: ", ") + " }" }
    static func set(_ numbers: [Int]) -> String { "{ " + numbers.map(String.init).joined(separator: ", ") + " }" }

    /// Private networks, whose addresses need translation. Source: RFC 1918 section 3, RFC 6598 section 7.
    static let privateNetworks = "{ 10.0.0.0/8, 100.64.0.0/10, 172.16.0.0/12, 192.168.0.0/16 }"
}

/// The programs for network setups, with their Debian packages.
enum NetworkTools {
    static let packages = [
        "nft": "nftables", "sysctl": "procps", "ip": "iproute2", "wg": "wireguard-tools",
        "wireguard-go": "wireguard-go",
    ]
}

import ATSPolicy
import Text

/// Hosts that bypass the parent proxy, listed as in curl's `NO_PROXY`.
///
/// A name matches itself and its subdomains, with or without a leading dot. An address matches itself, a range such as
/// 10.0.0.0/8 all its addresses, and `*` everything. `:PORT` after a host limits it to that port. Source: curl(1),
/// NO_PROXY.
public struct ParentBypass: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        var name = ""
        var block: AddressBlock?
        var port: Int?
        var isEverything = false
    }

    private let entries: [Entry]

    /// - Parameter lists: hosts, separated by commas or blanks.
    public init(_ lists: [String] = []) {
        entries = lists.flatMap { $0.split { ", \t".contains($0) } }.compactMap { Self.entry($0.lowercased()) }
    }

    /// True if a load to this host and port bypasses the parent.
    ///
    /// - Parameter host: in lower case, an IPv6 address without brackets.
    public func contains(_ host: String, _ port: Int) -> Bool {
        if entries.isEmpty { return false }
        let name = HostGrammar.withoutTrailingDot(host[...])
        let address = IPAddress(host: host)
        return entries.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            if entry.isEverything { return true }
            guard let address else {
                return entry.block == nil && HostGrammar.isHost(name, atOrBelow: entry.name)
            }
            return entry.block?.contains(address) ?? false
        }
    }

    private static func entry(_ text: String) -> Entry? {
        var entry = Entry()
        var host = text[...]
        entry.block = block(host)
        if entry.block != nil { return entry }
        if let colon = text.lastIndex(of: ":"), let port = PortNumber.read(text[colon...].dropFirst()) {
            entry.port = port
            host = text[..<colon]
        }
        entry.block = block(host)
        if entry.block != nil { return entry }
        entry.isEverything = host == "*"
        if host.hasPrefix("*.") { host = host.dropFirst() }
        entry.name = String(HostGrammar.withoutTrailingDot(host.hasPrefix(".") ? host.dropFirst() : host))
        return entry.name.isEmpty ? nil : entry
    }

    /// An address or a range; IPv6 with or without brackets.
    private static func block(_ text: Substring) -> AddressBlock? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        return AddressBlock(String(isBracketed ? text.dropFirst().dropLast() : text))
    }
}
